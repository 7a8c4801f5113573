import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Asker, Params } from '../rpc.ts'
import { RpcFault } from '../rpc.ts'
import { call, createAsker, createLinks, program, rawOf, type Told, textOf } from './link.fixture.ts'
import type { Link } from './link.ts'

const links = createLinks()
let link: Link
let told: Told
beforeAll(async () => {
  const opened = await links.open(program('rough-server.ts'))
  link = opened.link
  told = opened.told
})
afterAll(links.closeAll)

const ALL = { sampling: {}, elicitation: {}, roots: {} }
const SAMPLING =
  '{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":5,"unknown":{"kept":true}}}'
const ROOTS = '{"jsonrpc":"2.0","id":7,"method":"roots/list"}'

/** What came back to the server's question, as the server saw it. */
async function answerTo(line: string, asker: Asker): Promise<Record<string, unknown>> {
  return JSON.parse(textOf(await call(link, 'ask', { line }, asker)))
}

describe('a question of a server', () => {
  test('goes to the client that is being served, and its answer back, both untouched', async () => {
    const asked: [string, Params][] = []
    const asker = createAsker({
      capabilities: ALL,
      async ask(method, params) {
        asked.push([method, params])
        return { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm', odd: 1 }
      },
    })
    expect(await answerTo(SAMPLING, asker)).toEqual({
      jsonrpc: '2.0',
      id: 'q1',
      result: { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm', odd: 1 },
    })
    expect(asked).toEqual([
      ['sampling/createMessage', { messages: [], maxTokens: 5, unknown: { kept: true } }],
    ])
  })

  test('is answered with the error that the client gives', async () => {
    const refusing = createAsker({
      capabilities: ALL,
      ask: () => Promise.reject(new RpcFault(-1, 'the user said no', { why: 'tired' })),
    })
    expect(await answerTo(SAMPLING, refusing)).toMatchObject({
      error: { code: -1, message: 'the user said no', data: { why: 'tired' } },
    })
  })

  test.each([
    ['throws something else', () => Promise.reject(new Error('with inner details'))],
    ['answers nothing', () => Promise.resolve(undefined)],
    ['answers a text', () => Promise.resolve('yes')],
  ])('has an error for an answer when the client %s', async (_what, ask) => {
    const { error } = await answerTo(SAMPLING, createAsker({ capabilities: ALL, ask }))
    expect(error).toMatchObject({ code: -32603 })
    expect(JSON.stringify(error)).not.toContain('inner details')
  })

  test.each([
    ['has nobody to ask', {}],
    ['cannot do that', { ask: () => Promise.resolve({}), capabilities: { elicitation: {} } }],
  ])('to a client that %s is refused, but for roots, of which there are none', async (_what, extra) => {
    expect(await answerTo(SAMPLING, createAsker(extra))).toMatchObject({
      error: { code: -32601, message: expect.stringContaining('cannot answer "sampling/createMessage"') },
    })
    expect(await answerTo(ROOTS, createAsker(extra))).toMatchObject({ id: 7, result: { roots: [] } })
  })

  test('while two clients are being served reaches neither', async () => {
    verifies('CO-PASS-5')
    const asked: string[] = []
    const [ada, bob] = ['ada', 'bob'].map((name) =>
      createAsker({
        capabilities: ALL,
        async ask() {
          asked.push(name)
          return {}
        },
      }),
    )
    const done = new AbortController()
    const waiting = call(link, 'hang', {}, { ...(bob ?? createAsker()), signal: done.signal })
    expect(await answerTo(SAMPLING, ada ?? createAsker())).toMatchObject({
      error: { message: expect.stringContaining('Several clients') },
    })
    expect(await answerTo(ROOTS, ada ?? createAsker())).toMatchObject({ error: { code: -32603 } })
    done.abort()
    await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
    expect(asked).toEqual([])
    await answerTo(SAMPLING, ada ?? createAsker())
    expect(asked).toEqual(['ada'])
  })

  test('while one client has two requests is no doubt', async () => {
    const client = {}
    const done = new AbortController()
    const waiting = call(link, 'hang', {}, createAsker({ client, signal: done.signal }))
    const asker = createAsker({
      client,
      capabilities: ALL,
      ask: async () => ({ roots: [{ uri: 'file:///a' }] }),
    })
    expect(await answerTo(ROOTS, asker)).toMatchObject({ result: { roots: [{ uri: 'file:///a' }] } })
    done.abort()
    await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
  })

  test('for a ping or an unknown method needs no client', async () => {
    const ping = '{"jsonrpc":"2.0","id":8,"method":"ping"}'
    expect(await answerTo(ping, createAsker())).toEqual({ jsonrpc: '2.0', id: 8, result: {} })
    const unknown = '{"jsonrpc":"2.0","id":9,"method":"no/such"}'
    expect(await answerTo(unknown, createAsker())).toMatchObject({ id: 9, error: { code: -32601 } })
  })

  test('that is withdrawn is withdrawn from the client too', async () => {
    const withdrawn = Promise.withResolvers<void>()
    const asker = createAsker({
      capabilities: ALL,
      ask: (_method, _params, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            withdrawn.resolve()
            reject(new RpcFault(-32800, 'cancelled'))
          })
        }),
    })
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q1"}}'
    const answered = answerTo(`${SAMPLING}\n${cancel}`, asker)
    await withdrawn.promise
    expect(await answered).toMatchObject({ error: { code: -32800 } })
  })
})

describe('what a server tells', () => {
  function listener(client: object = {}) {
    const heard: [string, Params][] = []
    const asker = createAsker({ client, notify: (method, params) => heard.push([method, params]) })
    return { asker, heard }
  }
  const LOG =
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"l","data":{"a":1}}}'
  const PROGRESS =
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$token,"progress":0.5,"message":"half"}}'

  test.each(['mine', 42])('as progress comes with the token %j of whoever asked', async (progressToken) => {
    const { asker, heard } = listener()
    await call(link, 'tell', { lines: [PROGRESS] }, asker, { progressToken })
    expect(heard).toEqual([['notifications/progress', { progressToken, progress: 0.5, message: 'half' }]])
  })

  test('as progress nobody asked for goes nowhere', async () => {
    const { asker, heard } = listener()
    await call(link, 'tell', { lines: [PROGRESS, PROGRESS.replace('$token', '"made up"')] }, asker)
    expect(heard).toEqual([])
  })

  test('goes to the one client that is being served', async () => {
    const { asker, heard } = listener()
    const complete =
      '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}'
    await call(link, 'tell', { lines: [LOG, complete] }, asker)
    expect(heard.map(([method]) => method)).toEqual([
      'notifications/message',
      'notifications/elicitation/complete',
    ])
  })

  test('goes to the log when there are two, or nobody listens', async () => {
    told.logs.length = 0
    const { asker, heard } = listener()
    const done = new AbortController()
    const waiting = call(link, 'hang', {}, createAsker({ signal: done.signal }))
    await call(link, 'tell', { lines: [LOG] }, asker)
    done.abort()
    await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
    await call(link, 'tell', { lines: [LOG] })
    expect(heard).toEqual([])
    const entry = { level: 'warning', logger: 'l', data: { a: 1 } }
    expect(told.logs).toEqual([entry, entry])
  })

  test('reaches the server as it was asked, with our own id and token', async () => {
    const params = { progressToken: 'theirs', traceparent: 't' }
    const seen = JSON.parse(textOf(await call(link, 'request', { a: 1 }, createAsker(), params)))
    expect(seen).toMatchObject({ method: 'tools/call', params: { arguments: { a: 1 } } })
    expect(seen.id).toBeGreaterThanOrEqual(1_000_000_000)
    expect(seen.params._meta).toEqual({ progressToken: seen.id, traceparent: 't' })
  })
})

describe.each(['legacy', 'modern'] as const)('a real server of the %s era', (era) => {
  const real = createLinks()
  let server: Link
  let stderr: readonly string[]
  beforeAll(async () => {
    const opened = await real.open(program('plain-server.ts', era))
    server = opened.link
    stderr = opened.told.stderr
  })
  afterAll(real.closeAll)

  test('shows progress, and heeds its cancellation', async () => {
    const steps: unknown[] = []
    const asker = createAsker({ notify: (_method, { progress }) => steps.push(progress) })
    await call(server, 'slow', { ms: 5, steps: 3 }, asker, { progressToken: 'p' })
    expect(steps).toEqual([1, 2, 3])
    const stop = new AbortController()
    const waiting = call(
      server,
      'slow',
      { ms: 10, steps: 1000 },
      { ...asker, signal: stop.signal },
      { progressToken: 'q' },
    )
    await expect.poll(() => steps.length).toBeGreaterThan(3)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
    await expect.poll(() => stderr).toContain('slow was cancelled')
  })

  test('has its own way of asking', async () => {
    const asker = createAsker({
      era,
      capabilities: ALL,
      ask: async () => ({ action: 'accept', content: { colour: 'blue' } }),
    })
    const reply = await call(server, 'ask_elicitation', {}, asker)
    if (era === 'legacy') expect(textOf(reply)).toBe('accept: {"colour":"blue"}')
    else expect(rawOf(reply)).toContain('"resultType":"input_required"')
  })
})
