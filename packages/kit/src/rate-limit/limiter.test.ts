import { describe, expect, test } from 'vitest'
import { createRateLimiter } from './limiter.ts'
import { parseRateLimits } from './rate-limits.ts'
import { createMemoryWindows } from './windows.ts'

function createClock() {
  let time = 1_000_000
  const advance = (milliseconds: number) => {
    time += milliseconds
  }
  return { now: () => time, advance }
}

function start(text: string, maxKeys?: number) {
  const clock = createClock()
  const memory = { now: clock.now, ...(maxKeys && { maxKeys }) }
  return { clock, limiter: createRateLimiter({ limits: parseRateLimits(text), memory }) }
}

describe('a limit', () => {
  test('allows its quota, refuses the next, and allows again when the window has passed', async () => {
    const { clock, limiter } = start('promptAgent=3/m')
    const remaining: unknown[] = []
    for (let request = 0; request < 3; request += 1)
      remaining.push((await limiter.consume('promptAgent', 'a'))?.remaining)
    expect(remaining).toEqual([2, 1, 0])
    clock.advance(42_500)
    expect(await limiter.consume('promptAgent', 'a')).toMatchObject({
      allowed: false,
      policy: 'promptAgent',
      limit: 3,
      remaining: 0,
      resetSeconds: 18,
      windowSeconds: 60,
    })
    clock.advance(17_500)
    expect(await limiter.consume('promptAgent', 'a')).toMatchObject({
      allowed: true,
      remaining: 2,
      resetSeconds: 60,
    })
  })

  test('counts each principal by itself', async () => {
    const { limiter } = start('promptAgent=1/m')
    const verdicts = await Promise.all(
      ['a', 'b', 'a', '__proto__'].map((who) => limiter.consume('promptAgent', who)),
    )
    expect(verdicts.map((verdict) => verdict?.allowed)).toEqual([true, true, false, true])
  })

  test('is exact when many requests come at once', async () => {
    const { limiter } = start('promptAgent=10/m')
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => limiter.consume('promptAgent', 'a')))
    expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(10)
  })

  test('of its own is separate from the default, which the other operations share', async () => {
    const { limiter } = start('promptAgent=1/m,default=2/m')
    const consume = async (operation: string) => (await limiter.consume(operation, 'a'))?.allowed
    expect(await consume('promptAgent')).toBe(true)
    expect(await consume('listAgents')).toBe(true)
    expect(await consume('getAgent')).toBe(true)
    expect(await consume('listAgents')).toBe(false)
    expect(await consume('promptAgent')).toBe(false)
    expect((await limiter.consume('getAgent', 'b'))?.policy).toBe('default')
  })

  test('that is not given does not apply', async () => {
    const { limiter } = start('promptAgent=1/m')
    for (const operation of ['listAgents', '__proto__', '']) {
      expect(await limiter.consume(operation, 'a')).toBeUndefined()
    }
  })

  test('keeps a bounded number of windows and forgets the ones that have ended', async () => {
    const { clock, limiter } = start('default=1/m', 100)
    for (let index = 0; index <= 100; index += 1) await limiter.consume('x', `principal-${index}`)
    expect((await limiter.consume('x', 'principal-0'))?.allowed).toBe(true)
    expect((await limiter.consume('x', 'principal-100'))?.allowed).toBe(false)
    clock.advance(60_000)
    expect((await limiter.consume('x', 'principal-100'))?.allowed).toBe(true)
  })
})

test('memory windows follow a clock that does not jump with the wall clock', async () => {
  const windows = createMemoryWindows()
  const policy = { name: 'x', quota: 1, windowSeconds: 60 }
  await windows.hit(policy, 'a')
  const wallClock = Date.now
  Date.now = () => wallClock() + 3_600_000
  try {
    expect((await windows.hit(policy, 'a')).used).toBe(2)
  } finally {
    Date.now = wallClock
  }
})

describe('headers', () => {
  test('name policy, quota, window, rest and reset, and the moment to try again only on a refusal', async () => {
    const { clock, limiter } = start('promptAgent=1/m')
    expect((await limiter.consume('promptAgent', 'a'))?.headers).toEqual({
      'ratelimit-policy': '"promptAgent";q=1;w=60',
      ratelimit: '"promptAgent";r=0;t=60',
    })
    clock.advance(43_001)
    expect((await limiter.consume('promptAgent', 'a'))?.headers).toEqual({
      'ratelimit-policy': '"promptAgent";q=1;w=60',
      ratelimit: '"promptAgent";r=0;t=17',
      'retry-after': '17',
    })
    clock.advance(16_998)
    expect((await limiter.consume('promptAgent', 'a'))?.headers['retry-after']).toBe('1')
  })
})
