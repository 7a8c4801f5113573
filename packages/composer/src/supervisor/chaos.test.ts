import { expect, test } from 'vitest'
import type { LinkOptions } from '../link/link.ts'
import { closeStage, define, startFault, superviseTestLinks, type TestLink } from './links.fixture.ts'

/** Numbers by chance, the same for the same seed (mulberry32). */
function createChance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const NAMES = ['a', 'b', 'c']

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'whatever happens in whatever order, no two generations meet and the end is clean (seed %i)',
  async (seed) => {
    const chance = createChance(seed)
    const stage = superviseTestLinks()
    const asked: Promise<unknown>[] = []
    const behaviours = [
      {},
      { open: () => Promise.reject(startFault('ended')) },
      {
        open: async (_link: TestLink, { signal }: LinkOptions) => {
          await stage.clock.sleep(20_000, signal)
          signal.throwIfAborted()
        },
      },
      { close: () => stage.clock.sleep(3000, new AbortController().signal) },
      { ping: () => Promise.reject(new Error('ill')) },
    ]
    const definitions = NAMES.flatMap((name) => [
      define(name),
      define(name, { lazy: true, idleStopMs: 5000 }),
      define(name, { health: { method: 'ping', tool: undefined, intervalMs: 7000, timeoutMs: 1000 } }),
      define(name, {
        autoStart: false,
        restart: { policy: 'always', maxRestarts: undefined, delayMs: undefined },
      }),
    ])
    const deeds = [
      (name: string) => stage.supervisor.find(name)?.start(),
      (name: string) => stage.supervisor.find(name)?.stop(),
      (name: string) => stage.supervisor.find(name)?.restart(),
      (name: string) => stage.supervisor.find(name)?.use(AbortSignal.timeout(60_000)),
      (name: string) => stage.links.findLast(({ server }) => server === name)?.exit({ exitCode: chance(2) }),
      (name: string) => stage.links.findLast(({ server }) => server === name)?.exit({ isForgotten: true }),
      (name: string) => stage.behave(name, behaviours[chance(behaviours.length)] ?? {}),
      () =>
        stage.supervisor.apply(
          NAMES.filter(() => chance(4) > 0).map((name) => {
            const own = definitions.filter((definition) => definition.name === name)
            return own[chance(own.length)] ?? define(name)
          }),
        ),
    ]
    for (let turn = 0; turn < 300; turn += 1) {
      const deed = deeds[chance(deeds.length)]
      // Many are refused, as they should be.
      asked.push(Promise.allSettled([deed?.(NAMES[chance(NAMES.length)] ?? 'a')]))
      if (chance(2) === 0) await stage.clock.pass(chance(5000))
    }
    for (const name of NAMES) stage.behave(name, {})
    await closeStage(stage)
    expect(await Promise.all(asked)).toHaveLength(300)
    expect(stage.links.filter(({ isClosed }) => !isClosed)).toEqual([])
    expect(stage.supervisor.servers().every((server) => server.status().state === 'stopped')).toBe(true)
  },
)
