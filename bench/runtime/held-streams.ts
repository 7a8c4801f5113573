import { setTimeout as wait } from 'node:timers/promises'
import type { BenchServer } from '../child.ts'
import { CONTENDERS, type Contender, release } from './contenders.ts'
import { type Asked, openPromptConnection, type PromptConnection } from './prompt-client.ts'
import { assertWhole } from './prompts.ts'

const STREAMS = 1000
const WARM = 100
const BATCH = 50
const LONGEST_MS = 60_000

interface Held {
  readonly prompt: string
  readonly connection: PromptConnection
  readonly asked: Asked
}

/** What a stream holds while its model is silent, and whether each comes to its end. */
export async function benchHeldStreams(modelPort: number): Promise<string[]> {
  const lines: string[] = []
  for (const contender of CONTENDERS) {
    const server = await contender.start(modelPort)
    try {
      // One that cannot hold so many is told so, and the others are measured.
      const measured = Promise.race([measure(contender, server, modelPort), tooLate()])
      lines.push(await measured.catch((error: unknown) => `${contender.name}: ${String(error)}`))
    } finally {
      await server.stop()
    }
  }
  return lines
}

async function tooLate(): Promise<never> {
  await wait(LONGEST_MS, undefined, { ref: false })
  throw new Error(`${STREAMS} streams were not held and answered within ${LONGEST_MS / 1000} s`)
}

async function measure(contender: Contender, server: BenchServer, modelPort: number): Promise<string> {
  // What a first burst leaves behind, such as connections that are kept, is no stream's.
  await finish(contender, await hold(contender, server.port, WARM), modelPort)
  const before = await server.usage({ collected: true })
  const held = await hold(contender, server.port, STREAMS)
  const after = await server.usage({ collected: true })
  const cut = await finish(contender, held, modelPort)
  const each = (bytes: number) => (bytes / STREAMS / 1024).toFixed(1)
  const aim = contender.role === 'quire' ? ' (aim: at most 64)' : ''
  return `${STREAMS} streams held, ${contender.name.padEnd(22)} ${each(after.heapBytes - before.heapBytes)} KiB of heap each${aim}, ${each(after.rssBytes - before.rssBytes)} KiB resident; ${cut} cut`
}

async function hold(contender: Contender, port: number, count: number): Promise<Held[]> {
  const held: Held[] = []
  for (let start = 0; start < count; start += BATCH) {
    const batch = await Promise.all(
      Array.from({ length: BATCH }, async (_, index) => {
        const prompt = `stream ${start + index}`
        const connection = await openPromptConnection(port)
        return { prompt, connection, asked: connection.ask(contender.request('held', prompt)) }
      }),
    )
    await Promise.all(batch.map(({ asked }) => asked.begun))
    held.push(...batch)
  }
  return held
}

/** How many did not get their whole answer. */
async function finish(contender: Contender, held: readonly Held[], modelPort: number): Promise<number> {
  await release(modelPort)
  const outcomes = await Promise.allSettled(
    held.map(async ({ prompt, asked }) => assertWhole(contender, prompt, await asked.answer)),
  )
  for (const { connection } of held) connection.close()
  return outcomes.filter(({ status }) => status === 'rejected').length
}
