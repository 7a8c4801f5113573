import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import type { RemoteDefinition, RestartSettings, ServerDefinition } from '../server-definition.ts'
import { createTestClock, define, defineRemote } from './links.fixture.ts'
import { createRestartPolicy, type Ending, type Verdict } from './restart-policy.ts'

const facts = { reason: 'ended with exit code 1', exitCode: 1, signal: null, stderr: [] }
const failed: Ending = { type: 'failed', facts }
const exited: Ending = { type: 'exited', facts: { ...facts, exitCode: 0 } }
const forgotten: Ending = { type: 'forgotten', facts }

const remote = defineRemote('a')
const program = { command: ['/bin/true'], env: {}, workingDir: undefined } as const

function create(
  settings: Partial<RestartSettings> = {},
  random = () => 0.5,
  server: ServerDefinition = define('a'),
) {
  const clock = createTestClock()
  const full = { policy: 'on-failure', maxRestarts: undefined, delayMs: undefined, ...settings } as const
  const policy = createRestartPolicy({ definition: () => ({ ...server, restart: full }), clock, random })
  return {
    clock,
    policy,
    /** Starts, runs for so long, ends so; the delay passes. */
    async live(ending: Ending, ranMs?: number): Promise<Verdict> {
      policy.started()
      if (ranMs !== undefined) await clock.pass(ranMs)
      const verdict = policy.judge(ending, ranMs)
      if (verdict.next === 'retry') await clock.pass(verdict.delayMs)
      return verdict
    },
  }
}

describe('what follows an end', () => {
  test.each([
    ['never', 'failed', 'give-up'],
    ['never', 'exited', 'rest'],
    ['never', 'forgotten', 'reopen'],
    ['never', 'idle', 'sleep'],
    ['on-failure', 'failed', 'retry'],
    ['on-failure', 'exited', 'rest'],
    ['on-failure', 'forgotten', 'reopen'],
    ['on-failure', 'idle', 'sleep'],
    ['always', 'failed', 'retry'],
    ['always', 'exited', 'retry'],
    ['always', 'forgotten', 'reopen'],
    ['always', 'idle', 'sleep'],
  ] as const)('with the policy "%s", "%s" leads to "%s"', async (policy, type, next) => {
    const { live } = create({ policy })
    const ending: Ending = type === 'idle' ? { type } : { type, facts }
    expect((await live(ending, 10)).next).toBe(next)
  })
})

describe('delays', () => {
  test('double from half a second', async () => {
    verifies('CO-SUP-4')
    const { live } = create({ maxRestarts: 100 })
    const delays: number[] = []
    for (let turn = 0; turn < 9; turn += 1) {
      const verdict = await live(failed)
      if (verdict.next === 'retry') delays.push(verdict.delayMs)
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  test.each([
    ['the house', undefined, 500],
    ['the configuration', 2000, 2000],
  ])('of %s are spread by a fifth either way', async (_whose, delayMs, middle) => {
    verifies('CO-SUP-5')
    const early = await create({ delayMs }, () => 0).live(failed)
    const late = await create({ delayMs }, () => 1).live(failed)
    expect(early).toEqual({ next: 'retry', delayMs: expect.closeTo(middle * 0.8) })
    expect(late).toEqual({ next: 'retry', delayMs: expect.closeTo(middle * 1.2) })
  })

  test.each([
    [100, [100, 200, 400, 800]],
    [20_000, [20_000, 30_000, 30_000, 30_000]],
    [60_000, [60_000, 60_000, 60_000, 60_000]],
    [0, [0, 200, 400, 800]],
  ])('double from a first one of %i ms', async (delayMs, expected) => {
    verifies('CO-SUP-14')
    const { live } = create({ delayMs })
    const delays: unknown[] = []
    for (let turn = 0; turn < 4; turn += 1) delays.push(await live(failed))
    expect(delays).toEqual(expected.map((delay) => ({ next: 'retry', delayMs: delay })))
  })

  test('begin anew after a run of a minute', async () => {
    verifies('CO-SUP-6')
    const { live } = create()
    await live(failed)
    expect(await live(failed, 59_999)).toEqual({ next: 'retry', delayMs: 1000 })
    expect(await live(failed, 60_000)).toEqual({ next: 'retry', delayMs: 500 })
  })
})

describe('limits', () => {
  test('five starts within two minutes are all there are', async () => {
    verifies('CO-SUP-7')
    const { live } = create()
    const nexts: string[] = []
    for (let turn = 0; turn < 5; turn += 1) nexts.push((await live(failed)).next)
    expect(nexts).toEqual(['retry', 'retry', 'retry', 'retry', 'give-up'])
  })

  test('starts that lie further apart go on', async () => {
    const { live } = create()
    for (let turn = 0; turn < 20; turn += 1) expect((await live(failed, 30_000)).next).toBe('retry')
  })

  test('a run of a minute makes good for the limit too', async () => {
    verifies('CO-SUP-6')
    const { live } = create()
    for (let turn = 0; turn < 4; turn += 1) await live(failed)
    expect((await live(failed, 60_000)).next).toBe('retry')
  })

  test.each([0, 1, 3])('max_restarts %i allows so many in a row', async (maxRestarts) => {
    verifies('CO-SUP-14')
    const { live } = create({ maxRestarts })
    for (let turn = 0; turn < maxRestarts; turn += 1) expect((await live(failed)).next).toBe('retry')
    expect((await live(failed)).next).toBe('give-up')
  })

  test.each<[string, RemoteDefinition, string]>([
    ['over HTTP', remote, 'retry'],
    ['over SSE', { ...remote, transport: 'sse' }, 'retry'],
    ['with a program of ours', { ...remote, program }, 'give-up'],
  ])(
    'a remote %s that stays away is tried for ever, unless that costs a process',
    async (_kind, server, last) => {
      verifies('CO-SUP-4')
      const { live } = create({}, undefined, server)
      let verdict = await live(failed)
      for (let turn = 0; turn < 200 && verdict.next === 'retry'; turn += 1) verdict = await live(failed)
      expect(verdict.next).toBe(last)
      if (verdict.next === 'retry') expect(verdict.delayMs).toBe(30_000)
    },
  )

  test.each<[Partial<RestartSettings>, string]>([
    [{ maxRestarts: 3 }, 'give-up'],
    [{ maxRestarts: Number.POSITIVE_INFINITY }, 'retry'],
    [{ policy: 'never' }, 'give-up'],
  ])('what the settings of a remote say holds: %j', async (settings, last) => {
    verifies('CO-SUP-14')
    const { live } = create(settings, undefined, remote)
    for (let turn = 0; turn < 3; turn += 1) await live(failed)
    expect((await live(failed)).next).toBe(last)
  })

  test('max_restarts of infinity knows no limit for a process either', async () => {
    const { live } = create({ maxRestarts: Number.POSITIVE_INFINITY })
    for (let turn = 0; turn < 50; turn += 1) expect((await live(failed)).next).toBe('retry')
  })

  test.each([
    [0, 'it is not to be restarted'],
    [1, 'it was restarted once'],
    [2, 'it was restarted 2 times in a row'],
  ])('a limit of %i reads "%s"', async (maxRestarts, limit) => {
    const { live } = create({ maxRestarts })
    for (let turn = 0; turn < maxRestarts; turn += 1) await live(failed)
    expect(await live(failed)).toMatchObject({ next: 'give-up', limit })
  })

  test('clearing begins from the beginning', async () => {
    const { live, policy } = create()
    for (let turn = 0; turn < 5; turn += 1) await live(failed)
    policy.clear()
    expect(await live(failed)).toEqual({ next: 'retry', delayMs: 500 })
  })

  test('a clean end under "always" is limited as well', async () => {
    const { live } = create({ policy: 'always' })
    for (let turn = 0; turn < 4; turn += 1) await live(exited, 10)
    expect((await live(exited, 10)).next).toBe('give-up')
  })
})

test('a session that is forgotten again within the minute is a failure, and the first one did not count', async () => {
  const { live } = create()
  expect(await live(forgotten, 10)).toEqual({ next: 'reopen' })
  expect(await live(forgotten, 10)).toEqual({ next: 'retry', delayMs: 500 })
  expect(await live(forgotten, 60_000)).toEqual({ next: 'reopen' })
})
