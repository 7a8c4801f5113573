import { createGate } from '@quire/testbed/model-peer/script'
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from './model.ts'
import {
  ask,
  CANARY,
  collect,
  createTestClock,
  failAt,
  failureOf,
  openAt,
  startPeer,
  textOfEvents,
} from './models.fixture.ts'

const OPENAI = 'openai:gpt-5.4'
const COMPATIBLE = 'openai-compatible:some/model:7b'
const ANTHROPIC = 'anthropic:claude-sonnet-4-5'
const IDS = [OPENAI, COMPATIBLE, ANTHROPIC]

describe.each(IDS)('%s', (id) => {
  const fail = (script: Parameters<typeof failAt>[1], options?: Parameters<typeof failAt>[2]) =>
    failAt(id, script, options)

  test('a connection cut before the first event is asked again', async () => {
    const peer = await startPeer([
      { acts: [{ text: 'lost' }], cutAfterBytes: 5 },
      { acts: [{ text: 'found' }] },
    ])
    const model = await openAt(peer, id, { retries: 1, clock: createTestClock() })
    expect(textOfEvents(await collect(model.stream(ask())))).toBe('found')
  })

  test('a connection cut after the first event is told, and not asked again', async () => {
    const { error, before, peer } = await fail(
      { acts: [{ text: 'half' }, { cut: true }] },
      { retries: 3, clock: createTestClock() },
    )
    expect(error.fault).toBe('unavailable')
    expect(textOfEvents(before)).toBe('half')
    expect(before.map(({ type }) => type)).not.toContain('finish')
    expect(peer.requests).toHaveLength(1)
  })

  test('an answer that ends well in HTTP, without a last event, broke off', async () => {
    const { error, before } = await fail([{ acts: [{ text: 'half' }], finish: 'none' }])
    expect(error).toMatchObject({ fault: 'unavailable' })
    expect(error.message).toContain('broke off')
    expect(textOfEvents(before)).toBe('half')
  })

  test.each([
    ['an event that is no JSON', 'data: {"oops\n\n'],
    ['an event of another shape', 'data: {"what":"ever"}\n\n'],
  ])('%s is garbled', async (_, raw) => {
    const { error } = await fail([{ acts: [{ raw }], finish: 'none' }])
    expect(error.fault).toBe('garbled')
  })

  test('garbage in the middle of an answer does not pass for its end', async () => {
    const { error, before } = await fail([{ acts: [{ text: 'half' }, { raw: 'data: \u0000\u0001{{\n\n' }] }])
    expect(error.fault).toBe('garbled')
    expect(before.map(({ type }) => type)).not.toContain('finish')
  })

  test('bytes that are no stream at all are garbled', async () => {
    const { error } = await fail([
      { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '\u0007garbage' },
    ])
    expect(error.fault).toBe('garbled')
  })

  test('a web page in place of a stream is garbled', async () => {
    const { error } = await fail([
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' },
    ])
    expect(error.fault).toBe('garbled')
    expect(error.message).toContain('base URL')
  })

  test('an error inside the stream is a failure', async () => {
    const { error, before } = await fail([
      {
        acts: [{ text: 'half' }, { error: `Overloaded, ${CANARY}`, type: 'overloaded_error' }],
        finish: 'none',
      },
    ])
    expect(error.fault).toBe('unavailable')
    expect(textOfEvents(before)).toBe('half')
  })

  test('an error at once, in a stream that goes on, closes the connection', async () => {
    const acts = [{ error: 'Overloaded', type: 'overloaded_error' }, { gate: createGate() }]
    const { error, peer } = await fail([{ acts }])
    expect(error.fault).toBe('unavailable')
    expect(await peer.requests[0]?.isHungUp).toBe(true)
  })

  test.each([
    ['silence before the first event', [], 120_000, 'silent for 120 seconds'],
    ['silence in the middle', [{ text: 'half' }], 120_000, 'silent for 120 seconds'],
    ['an answer of an hour', [{ text: 'half' }], 3_600_000, 'after 60 minutes'],
  ] as const)('%s is ended, and the connection closed', async (_, acts, ms, words) => {
    const clock = createTestClock()
    const peer = await startPeer([{ acts: [...acts, { gate: createGate() }] }])
    const seen: string[] = []
    const reading = failureOf(listen((await openAt(peer, id, { clock })).stream(ask()), seen))
    await expect
      .poll(() => peer.requests.length === 1 && seen.includes('text') === acts.length > 0)
      .toBe(true)
    clock.expire(ms)
    const { error } = await reading
    expect(error.fault).toBe('unavailable')
    expect(error.message).toContain(words)
    expect(await peer.requests[0]?.isHungUp).toBe(true)
  })

  test('one that says nothing at all is asked once more, and no third time', async () => {
    const clock = createTestClock()
    const peer = await startPeer({ acts: [{ gate: createGate() }] })
    const model = await openAt(peer, id, { clock, retries: 3, idleMs: 5_000 })
    const reading = failureOf(model.stream(ask()))
    for (const times of [1, 2]) {
      await expect.poll(() => peer.requests.length).toBe(times)
      clock.expire(5_000)
    }
    const { error } = await reading
    expect(error).toMatchObject({ fault: 'unavailable', isRetryable: true })
    expect(error.message).toContain('silent for 5 seconds')
    expect(error.message).toContain('asked 2 times')
    expect(peer.requests).toHaveLength(2)
  })

  test('a server that is not there is unavailable, by its address', async () => {
    const peer = await startPeer([])
    const model = await openAt(peer, id)
    await peer.close()
    const { error } = await failureOf(model.stream(ask()))
    expect(error).toMatchObject({ fault: 'unavailable', isRetryable: true })
    expect(error.message).toContain('ECONNREFUSED')
    expect(error.message).toContain(new URL(peer.url).host)
  })
})

async function* listen(events: AsyncIterable<ModelEvent>, seen: string[]): AsyncIterable<ModelEvent> {
  for await (const event of events) {
    seen.push(event.type)
    yield event
  }
}

test('a server of chat completions in the place of OpenAI is garbled', async () => {
  const raw =
    'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n'
  const peer = await startPeer([{ acts: [{ raw }], finish: 'none' }])
  const { error } = await failureOf((await openAt(peer, OPENAI)).stream(ask()))
  expect(error.fault).toBe('garbled')
})

test('a quota inside a stream of OpenAI that began is not asked for again', async () => {
  const peer = await startPeer([
    { acts: [{ error: 'You exceeded your quota.', type: 'insufficient_quota' }], finish: 'none' },
  ])
  const { error } = await failureOf((await openAt(peer, OPENAI)).stream(ask()))
  expect(error).toMatchObject({ fault: 'rate_limited', isRetryable: false })
})

test('an answer without end is cut off at its size', async () => {
  const peer = await startPeer([
    { acts: [{ raw: Buffer.alloc(9 * 1024 * 1024, 'x') }, { gate: createGate() }] },
  ])
  const { error } = await failureOf((await openAt(peer, COMPATIBLE)).stream(ask()))
  expect(error.fault).toBe('garbled')
  expect(await peer.requests[0]?.isHungUp).toBe(true)
})

test('comments without end can be aborted', async () => {
  const peer = await startPeer([{ acts: [{ text: 'First' }, { endless: true }] }])
  const abort = new AbortController()
  const reading = (async () => {
    for await (const event of (await openAt(peer, COMPATIBLE)).stream(ask({ signal: abort.signal })))
      if (event.type === 'text') abort.abort()
  })()
  await expect(reading).rejects.toThrow('aborted')
  expect(await peer.requests[0]?.isHungUp).toBe(true)
})
