import { afterEach, expect, test } from 'vitest'
import type { ComposerPrincipal } from '../access/composer-principal.ts'
import type { Reply } from '../rpc.ts'
import { client, errorOf, request, resultOf } from './parts.fixture.ts'
import type { CallLine } from './pending-call.ts'
import { createSuspendedCalls, type SuspendedCalls } from './suspended-calls.ts'

const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const ada = client('modern', { capabilities, principal: { subject: 'ada' } })
const bob = client('modern', { capabilities, principal: { subject: 'bob' } })
const open: SuspendedCalls[] = []

afterEach(() => {
  for (const calls of open.splice(0)) calls.close()
})

function createCalls(expiryMs?: number): SuspendedCalls {
  const calls = createSuspendedCalls(expiryMs === undefined ? {} : { expiryMs })
  open.push(calls)
  return calls
}

function toReply(value: unknown): Reply {
  return { result: Buffer.from(JSON.stringify({ value })), era: 'legacy' }
}

/** A server that asks for a colour and answers with what it was told. */
async function askColour({ ask, signal }: CallLine): Promise<Reply> {
  return toReply(await ask('elicitation/create', { message: 'Which colour?' }, signal))
}

function again(from: typeof ada, requestState: string, inputResponses: unknown, more = {}) {
  return request(from, 'tools/call', { requestState, inputResponses }, more)
}

test('a question goes to the client as a result, and its answer to the server', async () => {
  const calls = createCalls()
  const asked = resultOf(await calls.begin(request(ada, 'tools/call'), 'paint', askColour))
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { 'question-1': { method: 'elicitation/create', params: { message: 'Which colour?' } } },
  })
  const answer = { action: 'accept', content: { colour: 'red' } }
  const resumed = again(ada, asked.requestState, { 'question-1': answer })
  expect(calls.isResumed(resumed)).toBe(true)
  expect(resultOf(await calls.resume(resumed, 'paint'))).toEqual({ value: answer })
})

test('a call that asks nothing is answered as it is, its failure too', async () => {
  const calls = createCalls()
  const reply = toReply('done')
  expect(await calls.begin(request(ada, 'tools/call'), 'paint', async () => reply)).toBe(reply)
  const failed = calls.begin(request(ada, 'tools/call'), 'paint', () => Promise.reject(new Error('lost')))
  await expect(failed).rejects.toThrow('lost')
})

test('several questions, at once and in turn, are all put', async () => {
  const calls = createCalls()
  const first = await calls.begin(request(ada, 'tools/call'), 'paint', async ({ ask, signal }) => {
    const both = await Promise.all([ask('roots/list', {}, signal), ask('roots/list', { n: 2 }, signal)])
    return toReply([...both, await ask('elicitation/create', {}, signal)])
  })
  const { requestState, inputRequests } = resultOf(first)
  expect(Object.keys(inputRequests)).toEqual(['question-1', 'question-2'])
  const half = resultOf(
    await calls.resume(again(ada, requestState, { 'question-2': { roots: [2] } }), 'paint'),
  )
  expect(Object.keys(half.inputRequests)).toEqual(['question-1'])
  const next = resultOf(
    await calls.resume(again(ada, half.requestState, { 'question-1': { roots: [1] } }), 'paint'),
  )
  expect(Object.keys(next.inputRequests)).toEqual(['question-3'])
  const done = await calls.resume(
    again(ada, next.requestState, { 'question-3': { action: 'decline' } }),
    'paint',
  )
  expect(resultOf(done)).toEqual({ value: [{ roots: [1] }, { roots: [2] }, { action: 'decline' }] })
})

test('a handle holds once, for its own client and request', async () => {
  const calls = createCalls()
  const { requestState } = resultOf(await calls.begin(request(ada, 'tools/call'), 'paint', askColour))
  const answers = { 'question-1': { action: 'accept' } }
  const refused = expect.objectContaining({ code: -32602 })
  await expect(calls.resume(again(bob, requestState, answers), 'paint')).rejects.toEqual(refused)
  await expect(calls.resume(again(client('modern'), requestState, answers), 'paint')).rejects.toEqual(refused)
  await expect(calls.resume(again(ada, requestState, answers), 'other')).rejects.toEqual(refused)
  const asPrompt = { ...again(ada, requestState, answers), method: 'prompts/get' }
  await expect(calls.resume(asPrompt, 'paint')).rejects.toEqual(refused)
  await expect(calls.resume(again(ada, `${requestState}x`, answers), 'paint')).rejects.toEqual(refused)
  expect(resultOf(await calls.resume(again(ada, requestState, answers), 'paint'))).toEqual({
    value: { action: 'accept' },
  })
  await expect(calls.resume(again(ada, requestState, answers), 'paint')).rejects.toEqual(refused)
})

test('a handle does not hold for the same client with other roles', async () => {
  const calls = createCalls()
  const inRole = (role: string) => {
    const principal: ComposerPrincipal = { subject: 'ada', roles: [role] }
    return client('modern', { capabilities, principal })
  }
  const asked = await calls.begin(request(inRole('high'), 'tools/call'), 'paint', askColour)
  const { requestState } = resultOf(asked)
  const answers = { 'question-1': { action: 'accept' } }
  const refused = expect.objectContaining({ code: -32602 })
  await expect(calls.resume(again(inRole('low'), requestState, answers), 'paint')).rejects.toEqual(refused)
  expect(resultOf(await calls.resume(again(inRole('high'), requestState, answers), 'paint'))).toEqual({
    value: { action: 'accept' },
  })
})

test.each([undefined, 1, null, {}, '', 'x', 'Zm9v.YmFy'])('the handle %j is not ours', (requestState) => {
  expect(createCalls().isResumed(request(ada, 'tools/call', { requestState }))).toBe(false)
})

test.each([undefined, null, 'text', [], { 'question-1': 'text' }, { 'question-1': null }, { __proto__: {} }])(
  'responses %j answer nothing: the question is put again',
  async (inputResponses) => {
    const calls = createCalls()
    const { requestState } = resultOf(await calls.begin(request(ada, 'tools/call'), 'paint', askColour))
    const asked = resultOf(await calls.resume(again(ada, requestState, inputResponses), 'paint'))
    expect(Object.keys(asked.inputRequests)).toEqual(['question-1'])
    expect(asked.requestState).not.toBe(requestState)
  },
)

test('the server is cancelled when its client does not come back', async () => {
  const calls = createCalls(20)
  const { promise: cancelled, resolve } = Promise.withResolvers<unknown>()
  const asked = await calls.begin(request(ada, 'tools/call'), 'paint', (line) => {
    line.signal.addEventListener('abort', () => resolve(line.signal.reason))
    return askColour(line)
  })
  await expect(cancelled).resolves.toMatchObject({ message: expect.stringContaining('did not come back') })
  const late = again(ada, resultOf(asked).requestState, {})
  await expect(calls.resume(late, 'paint')).rejects.toMatchObject({ code: -32602 })
})

test('the server is cancelled with the request that waits, and not with one that has had its answer', async () => {
  const calls = createCalls()
  const first = new AbortController()
  const second = new AbortController()
  let signal: AbortSignal | undefined
  const begun = request(ada, 'tools/call', {}, { signal: first.signal })
  const { requestState } = resultOf(
    await calls.begin(begun, 'paint', async (line) => {
      signal = line.signal
      await askColour(line)
      return new Promise(() => undefined)
    }),
  )
  first.abort()
  expect(signal?.aborted).toBe(false)
  const resumed = again(ada, requestState, { 'question-1': {} }, { signal: second.signal })
  void calls.resume(resumed, 'paint')
  second.abort()
  expect(signal?.aborted).toBe(true)
})

test('what the server tells goes to the request that waits at the time', async () => {
  const calls = createCalls()
  const told: string[] = []
  const hear = (name: string) => ({ notify: (method: string) => void told.push(`${name} ${method}`) })
  const { requestState } = resultOf(
    await calls.begin(request(ada, 'tools/call', {}, hear('first')), 'paint', async (line) => {
      line.notify('one', {})
      const reply = await askColour(line)
      line.notify('two', {})
      return reply
    }),
  )
  await calls.resume(again(ada, requestState, { 'question-1': {} }, hear('second')), 'paint')
  expect(told).toEqual(['first one', 'second two'])
})

test('only what the client has declared is asked', async () => {
  const calls = createCalls()
  const plain = client('modern', { capabilities: { elicitation: { url: {} } } })
  const refused: unknown[] = []
  const questions = [
    ['elicitation/create', {}],
    ['sampling/createMessage', {}],
    ['roots/list', {}],
    ['tools/list', {}],
  ] as const
  await calls.begin(request(plain, 'tools/call'), 'paint', async ({ ask, signal }) => {
    for (const [method, params] of questions) {
      await ask(method, params, signal).catch((error: unknown) => refused.push(error))
    }
    return toReply('gave up')
  })
  expect(refused).toEqual(questions.map(() => expect.objectContaining({ code: -32601 })))
})

test('one client cannot take all the room', async () => {
  const calls = createCalls()
  const begin = (from: typeof ada) =>
    calls.begin(request(from, 'tools/call'), 'paint', (line) =>
      askColour(line).catch((error: { code: number; message: string }) => ({ error })),
    )
  for (let index = 0; index < 64; index += 1) resultOf(await begin(ada))
  expect(errorOf(await begin(ada)).message).toContain('Too many')
  expect(resultOf(await begin(bob)).resultType).toBe('input_required')
})

test('a question that its server withdraws is not waited for', async () => {
  const calls = createCalls()
  const withdrawn = new AbortController()
  const { requestState } = resultOf(
    await calls.begin(request(ada, 'tools/call'), 'paint', ({ ask }) =>
      ask('roots/list', {}, withdrawn.signal).then(toReply, () => toReply('without it')),
    ),
  )
  withdrawn.abort()
  const reply = await calls.resume(again(ada, requestState, { 'question-1': {} }), 'paint')
  expect(resultOf(reply)).toEqual({ value: 'without it' })
})
