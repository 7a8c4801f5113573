import { describe, expect, test } from 'vitest'
import { KEY, openRemote } from './remote.fixture.ts'
import { startRuntimePeer } from './runtime-peer.fixture.ts'
import { TASK } from './work.fixture.ts'

describe('a failure', () => {
  test('of the turn is told in its words, and what it cost is counted', async () => {
    const { run } = await openRemote({ play: (turn) => turn.end('failed', `No provider. ${KEY}`, 503) })
    const { steps, error } = await run()
    expect(error).toMatchObject({ fault: 'unavailable', message: expect.stringContaining('No provider.') })
    expect(String(error)).not.toContain(KEY)
    expect(steps).toMatchObject([{ spent: { promptTokens: 10 } }])
  })

  test('of one who waits for a person is told, and nothing is left waiting', async () => {
    const { peer, run } = await openRemote({ play: (turn) => turn.end('waiting') })
    expect((await run()).error).toMatchObject({
      fault: 'refused',
      message: expect.stringContaining('tool_approval'),
    })
    expect(peer.conversations.get('attempt-1')?.status).toBe('cancelled')
  })

  test('an empty answer is no result', async () => {
    const { run } = await openRemote({ play: (turn) => turn.complete() })
    expect((await run()).error).toMatchObject({ fault: 'garbled' })
  })

  test('a prompt that no runtime takes is not sent', async () => {
    const { peer, run } = await openRemote()
    const task = { ...TASK, title: '\u{1f41d}'.repeat(300_000) }
    expect((await run({ task })).error).toMatchObject({ fault: 'too_long' })
    expect(peer.prompts).toEqual([])
  })

  test.each<[number, string, number | undefined]>([
    [401, 'unconfigured', undefined],
    [403, 'unconfigured', undefined],
    [404, 'refused', undefined],
    [413, 'too_long', undefined],
    [422, 'refused', undefined],
    [429, 'rate_limited', 7_000],
    [503, 'unavailable', 7_000],
    [302, 'refused', undefined],
  ])('of the request, %d', async (status, fault, retryAfterMs) => {
    const elsewhere = await startRuntimePeer()
    const { run } = await openRemote({
      intercept(request, response) {
        if (request.method === 'GET') return false
        const location = `${elsewhere.agentsUrl}guide/prompt`
        response.writeHead(status, { 'retry-after': '7', location })
        response.end(JSON.stringify({ detail: `No. ${request.headers.authorization}` }))
        return true
      },
    })
    const { error } = await run()
    expect(error).toMatchObject({ fault, ...(retryAfterMs !== undefined && { retryAfterMs }) })
    expect(JSON.stringify(error) + String(error)).not.toContain(KEY)
    expect(elsewhere.requests).toEqual([])
  })

  test.each<[string, string]>([
    ['no JSON', 'data: {"type":\n\n'],
    ['another shape', 'data: {"type":"text","content":7}\n\n'],
    ['no object', 'data: 7\n\n'],
    ['a negative number', 'data: {"type":"usage","prompt_tokens":-1,"completion_tokens":0}\n\n'],
    ['too much text', `data: {"type":"text","content":"${'x'.repeat(4_000_001)}"}\n\n`],
    ['a line without an end', 'data: '.padEnd(17 * 1024 * 1024, 'x')],
  ])('frames that make no sense: %s', async (_, raw) => {
    const { peer, run } = await openRemote({ play: (turn) => turn.send(raw) })
    expect((await run()).error).toMatchObject({ fault: 'garbled' })
    expect(peer.requests.at(-1)).toBe('POST /api/v1/conversations/attempt-1/cancel')
  })

  test('kinds of frames that are not known yet are left out', async () => {
    const { run } = await openRemote({
      play(turn) {
        turn.send('event: x\r\ndata: {"type":"thought","content":"hm"}\r\n\r\n: ping\n\n')
        turn.say('So.')
        turn.complete()
      },
    })
    expect((await run()).steps[0]?.result).toBe('So.')
  })

  test.each<[string, string, RegExp]>([
    ['a page', '<html>', /else than JSON/],
    ['another object', '{"status":"fine","messages":[]}', /another shape/],
    ['other messages', '{"status":"idle","messages":[{"role":"system","content":7}]}', /another shape/],
    ['null', 'null', /another shape/],
    [
      'too much',
      `{"status":"idle","messages":[],"x":"${'x'.repeat(33 * 1024 * 1024)}"}`,
      /more than \d+ bytes/,
    ],
  ])('a conversation that makes no sense: %s', async (_, body, message) => {
    const { run } = await openRemote({ intercept: (_request, response) => !!response.end(body) })
    expect((await run()).error).toMatchObject({ fault: 'garbled', message: expect.stringMatching(message) })
  })

  test('an answer to a prompt that is no stream', async () => {
    const { run } = await openRemote({
      intercept: (request, response) => request.method === 'POST' && !!response.end('{"response": "x"}'),
    })
    expect((await run()).error).toMatchObject({ fault: 'garbled' })
  })
})
