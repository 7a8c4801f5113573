import type { Era } from '@quire/mcp/connection/era'
import { afterEach, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { type Params, RpcFault } from '../rpc.ts'
import { createGateway } from './create-gateway.ts'
import type { DrivenGateway } from './driven-gateway.ts'
import {
  type Answer,
  client,
  createHandCatalog,
  createHandServers,
  errorOf,
  everything,
  request,
  resultOf,
  toolEntry,
} from './parts.fixture.ts'

const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const question = { method: 'elicitation/create', params: { message: 'Which colour?' } }
const call = { name: 'paint__wall', arguments: { wall: 1 } }
const open: DrivenGateway[] = []

afterEach(() => {
  for (const gateway of open.splice(0)) gateway.close()
})

function start(era: Era, answer: Answer) {
  const { lists, catalog } = createHandCatalog()
  const servers = createHandServers(['paint'], era, answer)
  lists.tools.push(toolEntry('paint', { name: 'wall' }))
  lists.resources.push({ server: 'paint', item: { uri: 'wall://1', name: 'one' } })
  const gateway = createGateway({
    catalog,
    ...servers,
    settings: () => ({ name: 'quire', version: '1', mode: 'full' }),
    viewOf: () => everything,
    logger: createSilentLogger(),
  })
  open.push(gateway)
  return { gateway, ...servers }
}

test.each<[Era, Era, Params]>([
  ['legacy', 'legacy', { content: [] }],
  ['modern', 'modern', { content: [], resultType: 'complete' }],
  ['modern', 'modern', { resultType: 'input_required', inputRequests: { q: question }, requestState: 's' }],
  ['modern', 'legacy', { content: [], resultType: 'complete' }],
])('a result of a %s server reaches a %s client untouched', async (server, from, result) => {
  const { gateway } = start(server, () => result)
  const reply = await gateway.handle(request(client(from, { capabilities }), 'tools/call', call))
  expect(resultOf(reply)).toEqual(result)
})

test('a result of a legacy server is made complete for a stateless client', async () => {
  const { gateway } = start('legacy', ({ method }) =>
    method === 'tools/call' ? { content: [] } : { contents: [] },
  )
  const modern = client('modern')
  expect(resultOf(await gateway.handle(request(modern, 'tools/call', call)))).toEqual({
    resultType: 'complete',
    content: [],
  })
  expect(resultOf(await gateway.handle(request(modern, 'resources/read', { uri: 'wall://1' })))).toEqual({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    contents: [],
  })
})

test('a stateless client gets no code that its revision has abolished', async () => {
  const { gateway } = start('legacy', () => {
    throw new RpcFault(-32002, 'gone', { uri: 'wall://1' })
  })
  const read = (era: Era) => gateway.handle(request(client(era), 'resources/read', { uri: 'wall://1' }))
  expect(errorOf(await read('legacy')).code).toBe(-32002)
  expect(errorOf(await read('modern')).code).toBe(-32602)
})

test('questions of a stateless server are put to a client with a session, and the server is asked again', async () => {
  const { gateway, sent } = start('modern', ({ params }) => {
    if (params.requestState === undefined)
      return {
        resultType: 'input_required',
        inputRequests: { a: question, b: { method: 'roots/list' } },
        requestState: 's1',
      }
    if (params.requestState === 's1')
      return { resultType: 'input_required', inputRequests: { c: question }, requestState: 's2' }
    return { resultType: 'complete', content: [] }
  })
  const asked: unknown[] = []
  const ask = async (method: string, params: Params) => {
    asked.push([method, params])
    return { answer: asked.length }
  }
  const legacy = client('legacy', { capabilities })
  const reply = await gateway.handle(request(legacy, 'tools/call', call, { ask }))
  expect(resultOf(reply)).toEqual({ resultType: 'complete', content: [] })
  expect(asked).toEqual([
    ['elicitation/create', question.params],
    ['roots/list', {}],
    ['elicitation/create', question.params],
  ])
  const own = { name: 'wall', arguments: { wall: 1 } }
  expect(sent.map(({ params }) => params)).toEqual([
    own,
    { ...own, requestState: 's1', inputResponses: { a: { answer: 1 }, b: { answer: 2 } } },
    { ...own, requestState: 's2', inputResponses: { c: { answer: 3 } } },
  ])
})

test('an address that a user is sent to gets the id that older clients want', async () => {
  const url = { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://x.test/' } }
  const { gateway } = start('modern', ({ params }) =>
    params.inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: { url } }
      : { resultType: 'complete', content: [] },
  )
  const asked: Params[] = []
  const ask = async (_method: string, params: Params) => {
    asked.push(params)
    return { action: 'accept' }
  }
  const legacy = client('legacy', { capabilities: { elicitation: { url: {} } } })
  resultOf(await gateway.handle(request(legacy, 'tools/call', call, { ask })))
  expect(asked).toEqual([{ ...url.params, elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
})

test.each<[string, Params, Params]>([
  ['it has not offered', {}, { q: question }],
  ['it cannot show', { elicitation: { url: {} } }, { q: question }],
  ['no client is ever asked', capabilities, { q: { method: 'tools/list' } }],
  ['are none', capabilities, { q: 'x' }],
  ['are missing', capabilities, {}],
])('a session is not asked questions that %s', async (_what, declared, inputRequests) => {
  const { gateway, sent } = start('modern', () => ({ resultType: 'input_required', inputRequests }))
  const ask = () => Promise.reject(new Error('asked'))
  const legacy = client('legacy', { capabilities: declared })
  const error = errorOf(await gateway.handle(request(legacy, 'tools/call', call, { ask })))
  expect([-32603, -32601]).toContain(error.code)
  expect(error.message).not.toContain('reason is in its log')
  expect(sent).toHaveLength(1)
})

test('a server that never has enough is left after eight rounds', async () => {
  const { gateway, sent } = start('modern', () => ({
    resultType: 'input_required',
    inputRequests: { q: question },
  }))
  const legacy = client('legacy', { capabilities })
  const reply = await gateway.handle(request(legacy, 'tools/call', call, { ask: async () => ({}) }))
  expect(errorOf(reply).message).toContain('8 rounds')
  expect(sent).toHaveLength(9)
})

test('a client that refuses one question is not left with the others', async () => {
  const { gateway } = start('modern', () => ({
    resultType: 'input_required',
    inputRequests: { a: question, b: { method: 'roots/list' } },
  }))
  let other: AbortSignal | undefined
  const ask = (method: string, _params: Params, signal: AbortSignal) => {
    if (method !== 'roots/list') return Promise.reject(new RpcFault(-1, 'the user said no'))
    other = signal
    return new Promise(() => undefined)
  }
  const legacy = client('legacy', { capabilities })
  expect(errorOf(await gateway.handle(request(legacy, 'tools/call', call, { ask })))).toMatchObject({
    code: -1,
    message: 'the user said no',
  })
  expect(other?.aborted).toBe(true)
})

test('a legacy server that asks in the middle of a call of a stateless client gets its answer', async () => {
  const { gateway, sent } = start('legacy', async ({ asker }) => {
    const answer = await asker.ask?.(question.method, question.params, asker.signal)
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
  })
  const modern = client('modern', { capabilities })
  const asked = resultOf(await gateway.handle(request(modern, 'tools/call', call)))
  expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-1': question } })
  const { requestState } = asked
  const inputResponses = { 'question-1': { action: 'accept', content: { colour: 'red' } } }
  // Each request of the stateless protocol is another client.
  const again = request(client('modern', { capabilities }), 'tools/call', {
    ...call,
    inputResponses,
    requestState,
  })
  expect(resultOf(await gateway.handle(again))).toEqual({
    resultType: 'complete',
    content: [{ type: 'text', text: '{"action":"accept","content":{"colour":"red"}}' }],
  })
  expect(sent).toHaveLength(1)
  expect(errorOf(await gateway.handle(again))).toMatchObject({ code: -32602 })
  expect(sent).toHaveLength(1)
})

test('a handle that is not ours goes to a stateless server, and never begins a call of a legacy one anew', async () => {
  const params = { ...call, requestState: 'foreign', inputResponses: {} }
  const modern = client('modern', { capabilities })
  const stateless = start('modern', () => ({ content: [] }))
  resultOf(await stateless.gateway.handle(request(modern, 'tools/call', params)))
  expect(stateless.sent).toMatchObject([{ params: { requestState: 'foreign' } }])
  const legacy = start('legacy', () => ({ content: [] }))
  expect(errorOf(await legacy.gateway.handle(request(modern, 'tools/call', params))).code).toBe(-32602)
  expect(legacy.sent).toEqual([])
})

test('a client that can be asked nothing is not offered for questions', async () => {
  const { gateway, sent } = start('legacy', () => ({ content: [] }))
  await gateway.handle(
    request(client('legacy', { capabilities: { ...capabilities, x: {} } }), 'tools/call', call),
  )
  await gateway.handle(request(client('modern'), 'tools/call', call))
  expect(sent.map(({ asker }) => [asker.ask, asker.capabilities])).toEqual([
    [undefined, { x: {} }],
    [undefined, {}],
  ])
})
