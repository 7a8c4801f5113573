import { CallerError } from '@quire/kit/errors'
import type { Era } from '@quire/mcp/connection/era'
import { afterEach, expect, test } from 'vitest'
import type { AccessView } from '../access/access.ts'
import type { ToolEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import { type Params, RpcFault } from '../rpc.ts'
import { createHandGateways } from './hand-gateway.fixture.ts'
import { client, errorOf, everything, request, resultOf, toolEntry } from './parts.fixture.ts'

const legacy = client('legacy')
const modern = client('modern')
const { start, close } = createHandGateways()

afterEach(close)

test.each([
  ['prompts/list', { prompts: [{ name: 'notes__summarise' }] }],
  ['resources/list', { resources: [{ uri: 'note://1', name: 'one' }] }],
  ['resources/templates/list', { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'any' }] }],
])('%s lists what there is, in both eras', async (method, expected) => {
  const { gateway } = start()
  expect(resultOf(await gateway.handle(request(legacy, method)))).toEqual(expected)
  expect(resultOf(await gateway.handle(request(modern, method)))).toEqual({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    ...expected,
  })
})

test('a call goes to the server under its own name, with everything else as it came', async () => {
  const { gateway, sent, records } = start()
  const params = {
    name: 'weather__forecast',
    arguments: { city: 'Bern' },
    _meta: { progressToken: 7 },
    extra: 1,
  }
  const who = client('legacy', { principal: { subject: 'ada' }, clientInfo: { name: 'c', version: '1' } })
  const notify = () => undefined
  const reply = await gateway.handle(request(who, 'tools/call', params, { notify }))
  expect(sent).toMatchObject([
    {
      server: 'weather',
      method: 'tools/call',
      params: { ...params, name: 'forecast' },
      asker: { era: 'legacy', client: who, notify, clientInfo: { name: 'c' } },
    },
  ])
  expect(resultOf(reply)).toEqual({ method: 'tools/call', params: { ...params, name: 'forecast' } })
  expect(records).toEqual([
    {
      subject: 'ada',
      method: 'tools/call',
      target: 'weather:forecast',
      server: 'weather',
      outcome: 'ok',
      durationMs: expect.any(Number),
    },
  ])
  expect(JSON.stringify(records)).not.toContain('Bern')
})

test('the name of the REST API leads to the same tool as the name on MCP', async () => {
  const { gateway, sent } = start()
  await gateway.handle(request(legacy, 'tools/call', { name: 'weather:forecast' }))
  await gateway.handle(request(legacy, 'tools/call', { name: 'weather__forecast' }))
  expect(sent.map(({ server, params }) => `${server} ${params.name}`)).toEqual([
    'weather forecast',
    'weather forecast',
  ])
})

test('an unknown tool is refused with the names that may have been meant', async () => {
  const { gateway, records } = start()
  const error = errorOf(await gateway.handle(request(legacy, 'tools/call', { name: 'weather_forecasts' })))
  expect(error).toMatchObject({ code: -32602, data: { error_code: 'TOOL_NOT_FOUND' } })
  expect(error.message).toBe('There is no tool "weather_forecasts". Close to it: weather__forecast.')
  expect(records).toMatchObject([{ target: 'weather_forecasts', outcome: 'TOOL_NOT_FOUND' }])
})

test.each([undefined, null, 1, {}, [], '', '__proto__', 'constructor', 'x'.repeat(100_000)])(
  'the tool %.20j is refused in few words',
  async (name) => {
    const { gateway, sent } = start()
    const error = errorOf(await gateway.handle(request(legacy, 'tools/call', { name })))
    expect(error.code).toBe(-32602)
    expect(error.message.length).toBeLessThan(400)
    expect(sent).toEqual([])
  },
)

test('what a caller may not see is neither listed, nor called, nor offered as close', async () => {
  const view: AccessView = { ...everything, key: 'notes', allowsTool: ({ server }) => server === 'notes' }
  const { gateway, sent } = start({ viewOf: (who) => (who?.subject === 'bob' ? view : everything) })
  const bob = client('legacy', { principal: { subject: 'bob' } })
  const listed = resultOf(await gateway.handle(request(bob, 'tools/list')))
  expect(listed.tools).toMatchObject([{ name: 'notes__write' }])
  expect(resultOf(await gateway.handle(request(legacy, 'tools/list'))).tools).toHaveLength(2)
  const error = errorOf(await gateway.handle(request(bob, 'tools/call', { name: 'weather__forecast' })))
  expect(error).toEqual({
    code: -32602,
    message: 'There is no tool "weather__forecast". List the tools to see what there is.',
    data: { error_code: 'TOOL_NOT_FOUND' },
  })
  expect(sent).toEqual([])
})

test('a blocked tool is not listed, and its call says who can help', async () => {
  const { gateway, lists, sent } = start()
  const blocked: ToolEntry = { ...toolEntry('weather', { name: 'delete_all' }), trust: 'blocked' }
  lists.tools.push(blocked)
  const listed = resultOf(await gateway.handle(request(legacy, 'tools/list')))
  expect(listed.tools.map((tool: { name: string }) => tool.name)).not.toContain('weather__delete_all')
  const error = errorOf(await gateway.handle(request(legacy, 'tools/call', { name: 'weather__delete_all' })))
  expect(error).toMatchObject({ code: -32603, data: { error_code: 'TOOL_BLOCKED', server: 'weather' } })
  expect(error.message).toContain('approve')
  expect(sent).toEqual([])
})

test('what kept a server from answering is told with its code', async () => {
  const answer = () => {
    throw new ComposerError('SERVER_CRASHED', 'Server "weather" has crashed: no more wind.')
  }
  const { gateway, records } = start({ answer })
  expect(errorOf(await gateway.handle(request(legacy, 'tools/call', { name: 'weather__forecast' })))).toEqual(
    {
      code: -32603,
      message: 'Server "weather" has crashed: no more wind.',
      data: { error_code: 'SERVER_CRASHED', server: 'weather' },
    },
  )
  expect(records).toMatchObject([{ outcome: 'SERVER_CRASHED', server: 'weather' }])
})

test('an error of the server, and a failure of its tool, come back as they are', async () => {
  const failed = start({ answer: () => ({ content: [], isError: true }) })
  const called = request(legacy, 'tools/call', { name: 'notes__write' })
  expect(resultOf(await failed.gateway.handle(called))).toEqual({ content: [], isError: true })
  expect(failed.records).toMatchObject([{ outcome: 'tool_error' }])
  const refused = start({
    answer: () => {
      throw new RpcFault(-32000, 'no', { why: 1 })
    },
  })
  expect(errorOf(await refused.gateway.handle(called))).toEqual({
    code: -32000,
    message: 'no',
    data: { why: 1 },
  })
  expect(refused.records).toMatchObject([{ outcome: '-32000' }])
})

test('a failure of ours is not shown', async () => {
  const { gateway } = start({
    answer: () => {
      throw new Error('secret internals')
    },
  })
  const error = errorOf(await gateway.handle(request(legacy, 'tools/call', { name: 'notes__write' })))
  expect(error.code).toBe(-32603)
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('whoever has had its share is told when to come back', async () => {
  const limit = async () => {
    throw new CallerError('rate_limit', 'Too many calls.', { headers: { 'Retry-After': '17' } })
  }
  const { gateway, sent } = start({ limit })
  expect(errorOf(await gateway.handle(request(legacy, 'tools/call', { name: 'notes__write' })))).toEqual({
    code: -32603,
    message: 'Too many calls.',
    data: { error_code: 'RATE_LIMIT', server: 'notes', retry_after: 17 },
  })
  resultOf(await gateway.handle(request(legacy, 'tools/list')))
  expect(sent).toEqual([])
})

test('headers that mirror arguments have to agree with them', async () => {
  const { gateway, lists, sent } = start()
  const inputSchema = {
    type: 'object' as const,
    properties: { city: { type: 'string', 'x-mcp-header': 'City' } },
  }
  lists.tools.push(toolEntry('weather', { name: 'now', inputSchema }))
  const params = { name: 'weather__now', arguments: { city: 'Bern' } }
  const call = (paramHeaders: Record<string, string> | undefined) =>
    gateway.handle(request(modern, 'tools/call', params, { paramHeaders }))
  expect(errorOf(await call({ 'mcp-param-city': 'Rome' })).code).toBe(-32020)
  expect(errorOf(await call({})).code).toBe(-32020)
  expect(sent).toEqual([])
  resultOf(await call({ 'mcp-param-city': 'Bern' }))
  resultOf(await call(undefined))
  expect(sent).toHaveLength(2)
})

test.each<[string, Params, Params]>([
  [
    'prompts/get',
    { name: 'notes__summarise', arguments: { a: '1' } },
    { name: 'summarise', arguments: { a: '1' } },
  ],
  ['resources/read', { uri: 'note://1' }, { uri: 'note://1' }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'notes__summarise' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/prompt', name: 'summarise' }, argument: { name: 'a', value: '' } },
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'note://{id}' }, argument: { name: 'id', value: '' } },
    { ref: { type: 'ref/resource', uri: 'note://{id}' }, argument: { name: 'id', value: '' } },
  ],
])('%s %j reaches the server that has it', async (method, params, expected) => {
  const { gateway, sent } = start()
  resultOf(await gateway.handle(request(legacy, method, params)))
  expect(sent).toMatchObject([{ server: 'notes', method, params: expected }])
})

test.each<[Era, string, Params, number]>([
  ['legacy', 'prompts/get', { name: 'other' }, -32602],
  ['legacy', 'prompts/get', {}, -32602],
  ['legacy', 'resources/read', { uri: 'x://y' }, -32002],
  ['modern', 'resources/read', { uri: 'x://y' }, -32602],
  ['legacy', 'resources/read', { uri: 5 }, -32602],
  ['legacy', 'completion/complete', { ref: { type: 'ref/prompt', name: 'x' } }, -32602],
  ['legacy', 'completion/complete', { ref: { type: 'ref/resource', uri: 'x://{y}' } }, -32002],
  ['legacy', 'completion/complete', { ref: { type: 'ref/other' } }, -32602],
  ['legacy', 'completion/complete', {}, -32602],
  ['legacy', 'server/discover', {}, -32601],
  ['legacy', 'tasks/list', {}, -32601],
  ['modern', 'constructor', {}, -32601],
  ['modern', '', {}, -32601],
])('%s %s %j is refused with %i', async (era, method, params, code) => {
  const { gateway, sent } = start()
  expect(errorOf(await gateway.handle(request(client(era), method, params))).code).toBe(code)
  expect(sent).toEqual([])
})

test('a server that is gone while its tool is still listed', async () => {
  const { gateway, lists } = start()
  lists.tools.push(toolEntry('gone', { name: 'x' }))
  expect(errorOf(await gateway.handle(request(legacy, 'tools/call', { name: 'gone__x' })))).toMatchObject({
    code: -32603,
    data: { error_code: 'SERVER_NOT_FOUND', server: 'gone' },
  })
})
