import { createInterface } from 'node:readline'

/**
 * An MCP server that talks a lot on its standard error. Started as `node talking-server.fixture.ts`; its tool `say {lines}` writes each line,
 * `flood {count}` writes so many, a batch at a time.
 */
const BATCH = 500

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly lines?: string[]; readonly count?: number }
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params }: Message = JSON.parse(line)
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: toResult(method) })}\n`)
  if (method !== 'tools/call') return
  if (params?.name === 'say')
    for (const said of params.arguments?.lines ?? []) process.stderr.write(`${said}\n`)
  if (params?.name === 'flood') flood(0, params.arguments?.count ?? 0)
})

/** Goes on when what was written is gone, so that nothing piles up here. */
function flood(written: number, count: number): void {
  if (written >= count) return
  const lines = Array.from({ length: Math.min(BATCH, count - written) }, (_, index) =>
    toLine(written + index),
  )
  process.stderr.write(lines.join(''), () => setTimeout(flood, 4, written + lines.length, count))
}

function toLine(number: number): string {
  const level = number % 100 === 0 ? 'ERROR' : number % 10 === 0 ? 'WARNING' : 'INFO'
  return `${level} line ${number} of the flood: a client was answered in ${number % 97} ms\n`
}

function toResult(method: string | undefined): object {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'talker', version: '1' },
    }
  if (method === 'tools/list')
    return { tools: ['say', 'flood'].map((name) => ({ name, inputSchema: { type: 'object' } })) }
  return method === 'tools/call' ? { content: [{ type: 'text', text: 'said' }] } : {}
}
