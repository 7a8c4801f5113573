import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Jupyter } from '@quire/testbed/jupyter'

export const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/quire.mjs')

export interface ToolProcess {
  call(name: string, args?: Record<string, unknown>): Promise<string>
  /** The most memory that it has ever had. */
  peakBytes(): number
  close(): Promise<void>
}

/** `quire notebook start` on stdio, as a client starts it. */
export async function startToolProcess(jupyter: Pick<Jupyter, 'url' | 'token'>): Promise<ToolProcess> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, 'notebook', 'start'],
    env: { NOTEBOOK_URL: jupyter.url, NOTEBOOK_TOKEN: jupyter.token },
  })
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  return {
    async call(name, args = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args }, { timeout: 120_000 })
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
      if (isError) throw new Error(text)
      return text
    },
    peakBytes() {
      const [, kilobytes] =
        /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${transport.pid}/status`, 'utf8')) ?? []
      return Number(kilobytes) * 1024
    },
    close: () => client.close(),
  }
}
