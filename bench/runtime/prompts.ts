import { loadavg } from 'node:os'
import { type BenchServer, median } from '../child.ts'
import { CONTENDERS, type Contender } from './contenders.ts'
import { openPromptConnection, type PromptAnswer, type PromptConnection } from './prompt-client.ts'
import { assertAnswer, type Pace } from './script.ts'

const SECONDS = 3
/** Before each turn, and longer before the first: a program of many modules takes thousands of prompts until all of it is compiled. A relay of twenty lines needs none of it. */
const WARM_UP_SECONDS = 1
const FIRST_WARM_UP_SECONDS = 60
const FIRST_WARM_UP_PROMPTS = 6000
const WARM_UP_CLIENTS = 16
const ROUNDS = 3

const LOADS: readonly { readonly pace: Pace; readonly clients: number; readonly title: string }[] = [
  { pace: 'apart', clients: 1, title: '1 client, chunks apart' },
  { pace: 'apart', clients: 16, title: '16 clients, chunks apart' },
  { pace: 'burst', clients: 16, title: '16 clients, chunks at once' },
]

interface Running {
  readonly contender: Contender
  readonly server: BenchServer
}

interface Measured {
  readonly contender: Contender
  readonly perSecond: number
  readonly cpuMs: number
  readonly firstFrameMs: number
}

/** CPU and first frame of complete prompts, each answer looked at, in turns. */
export async function benchPrompts(modelPort: number): Promise<string[]> {
  const running: Running[] = []
  try {
    for (const contender of CONTENDERS) running.push({ contender, server: await contender.start(modelPort) })
    const warmUp = { seconds: FIRST_WARM_UP_SECONDS, prompts: FIRST_WARM_UP_PROMPTS }
    for (const one of running) await load(one, 'burst', WARM_UP_CLIENTS, warmUp)
    const lines: string[] = []
    for (const { pace, clients, title } of LOADS)
      lines.push('', ...toTable(title, await measureInTurns(running, pace, clients)))
    return lines
  } finally {
    for (const { server } of running) await server.stop()
  }
}

async function measureInTurns(running: readonly Running[], pace: Pace, clients: number): Promise<Measured[]> {
  const results = running.map(({ contender }) => ({
    contender,
    rates: [] as number[],
    cpu: [] as number[],
    firstFrames: [] as number[],
  }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, one] of running.entries()) {
      await load(one, pace, WARM_UP_CLIENTS, { seconds: WARM_UP_SECONDS })
      const before = await one.server.usage()
      const { firstFrames, seconds } = await load(one, pace, clients, { seconds: SECONDS })
      const after = await one.server.usage()
      const used = (after.cpuMicroseconds - before.cpuMicroseconds) / 1000
      results[index]?.rates.push(firstFrames.length / seconds)
      results[index]?.cpu.push(used / firstFrames.length)
      results[index]?.firstFrames.push(...firstFrames)
    }
  }
  return results.map(({ contender, rates, cpu, firstFrames }) => ({
    contender,
    perSecond: median(rates),
    cpuMs: median(cpu),
    firstFrameMs: median(firstFrames),
  }))
}

/** Every client asks again as soon as it was answered, until the time or the prompts are used up. */
async function load(
  { contender, server }: Running,
  pace: Pace,
  clients: number,
  until: { readonly seconds: number; readonly prompts?: number },
): Promise<{ firstFrames: readonly number[]; seconds: number }> {
  const connections = await Promise.all(
    Array.from({ length: clients }, () => openPromptConnection(server.port)),
  )
  const firstFrames: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + until.seconds * 1000
  let count = 0

  async function drive(connection: PromptConnection): Promise<void> {
    while (performance.now() < endsAt && count < (until.prompts ?? Number.POSITIVE_INFINITY)) {
      count += 1
      const prompt = `prompt ${count} of ${startedAt}`
      const answer = await connection.ask(contender.request(pace, prompt)).answer
      assertWhole(contender, prompt, answer)
      firstFrames.push(answer.firstFrameMs)
    }
  }

  try {
    await Promise.all(connections.map(drive))
  } finally {
    for (const connection of connections) connection.close()
  }
  return { firstFrames, seconds: (performance.now() - startedAt) / 1000 }
}

/** Throws where anything of the answer is missing, or another's. */
export function assertWhole(contender: Contender, prompt: string, { events }: PromptAnswer): void {
  if (events.at(-1) !== contender.last)
    throw new Error(`${contender.name}: "${prompt}" ended with ${events.at(-1)}`)
  assertAnswer(prompt, events.map((event) => contender.fragment(event) ?? '').join(''))
}

function toTable(title: string, measured: readonly Measured[]): string[] {
  const of = (role: Contender['role']) => measured.find(({ contender }) => contender.role === role)
  const [floor, peer] = [of('floor'), of('peer')]
  return [
    `| ${title} (load ${loadavg()[0]?.toFixed(1)}) | CPU ms per prompt | of the floor (aim: 4) | of ai (aim: 0.5) | first frame ms (aim: 3 over the floor) | prompts/s |`,
    '|---|---:|---:|---:|---:|---:|',
    ...measured.map(({ contender, cpuMs, firstFrameMs, perSecond }) => {
      const cells = [
        contender.name,
        cpuMs.toFixed(3),
        (cpuMs / (floor?.cpuMs ?? Number.NaN)).toFixed(2),
        (cpuMs / (peer?.cpuMs ?? Number.NaN)).toFixed(2),
        firstFrameMs.toFixed(2),
        perSecond.toFixed(0),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
}
