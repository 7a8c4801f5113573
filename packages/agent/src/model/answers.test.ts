import { createGate } from '@quire/testbed/model-peer/script'
import { describe, expect, test } from 'vitest'
import { ask, collect, openAt, startPeer, TOOLS, textOfEvents } from './models.fixture.ts'

const IDS = ['openai:gpt-5.4', 'openai-compatible:some/model:7b', 'anthropic:claude-sonnet-4-5']
const TWO_CALLS = [
  { text: 'Let me see.' },
  { call: 'call_1', name: 'add' },
  { args: '{"a"', of: 'call_1' },
  { call: 'call_2', name: 'add' },
  { args: '{"a":', of: 'call_2' },
  { args: ':1}', of: 'call_1' },
  { args: '2}', of: 'call_2' },
] as const

describe.each(IDS)('%s', (id) => {
  test('a text comes in its fragments, and ends with the reason and the tokens', async () => {
    const usage = { input: 20, output: 7, cacheRead: 80, reasoning: 0 }
    const peer = await startPeer([{ acts: [{ text: 'Good ' }, { text: 'day' }], usage }])
    const events = await collect((await openAt(peer, id)).stream(ask()))
    expect(events.filter(({ type }) => type === 'text')).toStrictEqual([
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'day' },
    ])
    expect(events.at(-2)).toMatchObject({ type: 'part_end', part: 'text' })
    expect(events.at(-1)).toStrictEqual({
      type: 'finish',
      reason: 'stop',
      usage: { promptTokens: 100, completionTokens: 7, cacheReadTokens: 80 },
    })
  })

  test.each([1, 2, 3, 7])(
    'writes of %i bytes, inside characters and lines, change nothing',
    async (bytesPerWrite) => {
      const peer = await startPeer([{ acts: [{ text: 'déjà 日本' }, { text: ' 👩‍🚀\n"x"' }], bytesPerWrite }])
      const events = await collect((await openAt(peer, id)).stream(ask()))
      expect(textOfEvents(events)).toBe('déjà 日本 👩‍🚀\n"x"')
    },
  )

  test('parallel calls come whole, though their arguments come in turns', async () => {
    const peer = await startPeer([{ acts: TWO_CALLS }])
    const events = await collect((await openAt(peer, id)).stream(ask({ tools: TOOLS })))
    const calls = events.filter((event) => event.type === 'tool_call')
    expect(calls).toMatchObject([
      { id: 'call_1', name: 'add', argsText: '{"a":1}' },
      { id: 'call_2', name: 'add', argsText: '{"a":2}' },
    ])
    expect(events.findIndex(({ type }) => type === 'part_end')).toBeLessThan(
      events.findIndex(({ type }) => type === 'tool_call'),
    )
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' })
  })

  test('arguments that are no JSON are handed on as they are', async () => {
    const acts = [
      { call: 'call_1', name: 'add' },
      { args: '{"a": oops', of: 'call_1' },
    ] as const
    const peer = await startPeer([{ acts }])
    const events = await collect((await openAt(peer, id)).stream(ask({ tools: TOOLS })))
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call', argsText: '{"a": oops' }))
  })

  test('a refusal is shown, and told from an end', async () => {
    const peer = await startPeer([{ acts: [{ refusal: 'I will not.' }], finish: 'filtered' }])
    const events = await collect((await openAt(peer, id)).stream(ask()))
    expect(textOfEvents(events)).toBe('I will not.')
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'filtered' })
  })

  test('an answer that was cut at its limit says so', async () => {
    const peer = await startPeer([{ acts: [{ text: 'Once upon' }], finish: 'length' }])
    const events = await collect((await openAt(peer, id)).stream(ask({ maxOutputTokens: 2 })))
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' })
    expect(JSON.stringify(peer.requests[0]?.body)).toMatch(/"max_(output_|completion_)?tokens":2/)
  })

  test('the first fragment arrives while the provider still thinks of the next', async () => {
    const gate = createGate()
    const peer = await startPeer([{ acts: [{ text: 'First' }, { gate }, { text: ' second' }] }])
    const seen: string[] = []
    for await (const event of (await openAt(peer, id)).stream(ask())) {
      if (event.type !== 'text') continue
      seen.push(event.text)
      gate.open()
    }
    expect(seen).toStrictEqual(['First', ' second'])
  })

  test('an abort in the middle closes the connection', async () => {
    const peer = await startPeer([{ acts: [{ text: 'First' }, { gate: createGate() }] }])
    const abort = new AbortController()
    const reason = new Error('enough')
    const reading = (async () => {
      for await (const event of (await openAt(peer, id)).stream(ask({ signal: abort.signal })))
        if (event.type === 'text') abort.abort(reason)
    })()
    await expect(reading).rejects.toBe(reason)
    expect(await peer.requests[0]?.isHungUp).toBe(true)
  })

  test('an abort before the first byte closes the connection', async () => {
    const peer = await startPeer([{ acts: [{ gate: createGate() }] }])
    const abort = new AbortController()
    const reading = collect((await openAt(peer, id)).stream(ask({ signal: abort.signal })))
    await expect.poll(() => peer.requests.length).toBe(1)
    abort.abort()
    await expect(reading).rejects.toThrow('aborted')
    expect(await peer.requests[0]?.isHungUp).toBe(true)
  })

  test('a request that is aborted before it begins is not made', async () => {
    const peer = await startPeer([{ acts: [{ text: 'never' }] }])
    const model = await openAt(peer, id)
    await expect(collect(model.stream(ask({ signal: AbortSignal.abort() })))).rejects.toThrow('aborted')
    expect(peer.requests).toHaveLength(0)
  })

  test('a reader that stops asking closes the connection', async () => {
    const peer = await startPeer([{ acts: [{ text: 'First' }, { gate: createGate() }] }])
    for await (const event of (await openAt(peer, id)).stream(ask())) if (event.type === 'text') break
    expect(await peer.requests[0]?.isHungUp).toBe(true)
  })
})

test('thoughts are told apart from the answer, with what the provider wants back', async () => {
  const acts = [{ thought: 'Hm. ', signature: 'sig-1' }, { text: 'Yes.' }]
  const peer = await startPeer({ acts })
  const claude = await collect((await openAt(peer, 'anthropic:claude-sonnet-4-5')).stream(ask()))
  expect(claude.slice(0, 2)).toStrictEqual([
    { type: 'reasoning', text: 'Hm. ' },
    { type: 'part_end', part: 'reasoning', metadata: { anthropic: { signature: 'sig-1' } } },
  ])
  const gpt = await collect((await openAt(peer, 'openai:gpt-5.4')).stream(ask()))
  expect(gpt).toContainEqual({ type: 'reasoning', text: 'Hm. ' })
  const local = await collect((await openAt(peer, 'openai-compatible:m')).stream(ask()))
  expect(local).toContainEqual({ type: 'reasoning', text: 'Hm. ' })
})
