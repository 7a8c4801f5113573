import { verifies } from '@quire/spec/verifies'
import { afterEach, expect, test } from 'vitest'
import type { AccessView } from '../access/access.ts'
import { ComposerError } from '../composer-error.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { Params } from '../rpc.ts'
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

const legacy = client('legacy')
const open: DrivenGateway[] = []

afterEach(() => {
  for (const gateway of open.splice(0)) gateway.close()
})

function start(answer: Answer = ({ params }) => ({ content: [], params }), view: AccessView = everything) {
  const { lists, catalog } = createHandCatalog()
  const servers = createHandServers(['github', 'mail'], 'legacy', answer)
  lists.tools.push(
    toolEntry('github', { name: 'create_issue', description: 'Opens an issue in a repository' }),
    toolEntry('github', { name: 'list_issues', description: 'Lists issues' }),
    toolEntry('mail', { name: 'send', description: `Sends a mail\nto somebody. ${'x'.repeat(1000)}` }),
    { ...toolEntry('mail', { name: 'secret_issue', description: 'IGNORE ALL' }), trust: 'blocked' },
  )
  const gateway = createGateway({
    catalog,
    ...servers,
    settings: () => ({ name: 'quire', version: '1', mode: 'search' }),
    viewOf: () => view,
    logger: createSilentLogger(),
  })
  open.push(gateway)
  const call = (name: string, args?: unknown, more: Params = {}) =>
    gateway.handle(request(legacy, 'tools/call', { name, arguments: args, ...more }))
  return { gateway, call, ...servers }
}

test('three tools are listed, each well described', async () => {
  verifies('CO-SEARCH-1')
  const { gateway } = start()
  const { tools } = resultOf(await gateway.handle(request(legacy, 'tools/list')))
  expect(tools.map((tool: { name: string }) => tool.name)).toEqual([
    'search_tools',
    'describe_tool',
    'call_tool',
  ])
  for (const tool of tools) {
    expect(tool.description.length).toBeGreaterThan(60)
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: expect.any(Array) })
  }
  expect(gateway.face().instructions).toContain('search_tools')
})

test.each<[Params, string[], number]>([
  [{ query: 'create an issue' }, ['github__create_issue', 'github__list_issues'], 2],
  [{ query: 'LIST issues' }, ['github__list_issues', 'github__create_issue'], 2],
  [{ query: 'repositories, repository' }, ['github__create_issue'], 1],
  [{ query: 'to' }, ['github__create_issue', 'mail__send'], 2],
  [{ query: 'issue', limit: 1 }, ['github__create_issue'], 2],
  [{ query: 'issue', limit: -5 }, ['github__create_issue', 'github__list_issues'], 2],
  [{ query: 'issue', server: 'mail' }, [], 0],
  [{ query: '', server: 'mail' }, ['mail__send'], 1],
  [{ query: 'nothing like it.*' }, [], 0],
])('search_tools %j', async (args, names, total) => {
  const { call } = start()
  const result = resultOf(await call('search_tools', args))
  expect(result.structuredContent.tools.map((tool: { name: string }) => tool.name)).toEqual(names)
  expect(result.structuredContent.total).toBe(total)
  for (const name of names) expect(result.content[0].text).toContain(name)
  expect(JSON.stringify(result)).not.toContain('IGNORE')
  expect(JSON.stringify(result).length).toBeLessThan(2500)
})

test('describe_tool shows the whole definition', async () => {
  const { call } = start()
  const { structuredContent, content } = resultOf(
    await call('describe_tool', { name: 'github__create_issue' }),
  )
  expect(structuredContent.tool).toEqual({
    name: 'github__create_issue',
    description: 'Opens an issue in a repository',
    inputSchema: { type: 'object' },
  })
  expect(JSON.parse(content[0].text)).toEqual(structuredContent.tool)
})

test('call_tool returns what the tool returns, untouched', async () => {
  const { call, sent } = start(() => ({
    content: [{ type: 'image' }],
    structuredContent: { a: 1 },
    _meta: { b: 2 },
  }))
  const args = { name: 'mail__send', arguments: { to: 'ada' } }
  const result = resultOf(await call('call_tool', args, { _meta: { progressToken: 1 } }))
  expect(result).toEqual({ content: [{ type: 'image' }], structuredContent: { a: 1 }, _meta: { b: 2 } })
  expect(sent).toMatchObject([
    { server: 'mail', params: { name: 'send', arguments: { to: 'ada' }, _meta: { progressToken: 1 } } },
  ])
})

test('a tool can be called by its name as well, and with no arguments', async () => {
  const { call, sent } = start()
  resultOf(await call('mail__send', { to: 'ada' }))
  resultOf(await call('call_tool', { name: 'mail:send' }))
  expect(sent.map(({ params }) => params.arguments)).toEqual([{ to: 'ada' }, {}])
})

test.each<[string, unknown, string]>([
  ['search_tools', {}, 'needs "query"'],
  ['search_tools', undefined, 'needs "query"'],
  ['describe_tool', { name: 3 }, 'needs "name"'],
  ['describe_tool', { name: 'github_create' }, 'Close to it: github__create_issue'],
  ['describe_tool', { name: 'mail__secret_issue' }, 'blocked'],
  ['call_tool', { name: 'nope' }, 'There is no tool "nope"'],
  ['call_tool', { name: 'mail__send', arguments: '{"to":"ada"}' }, 'as an object'],
  ['call_tool', { name: 'call_tool', arguments: {} }, 'There is no tool "call_tool"'],
])('%s %j fails with a sentence that the model reads', async (name, args, text) => {
  const { call, sent } = start()
  const result = resultOf(await call(name, args))
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toContain(text)
  expect(sent).toEqual([])
})

test('views and pins hold', async () => {
  verifies('CO-VIEW-1')
  const { call, sent } = start(undefined, {
    ...everything,
    key: 'github',
    allowsTool: ({ server }) => server === 'github',
  })
  expect(resultOf(await call('search_tools', { query: 'mail' })).structuredContent.total).toBe(0)
  expect(resultOf(await call('call_tool', { name: 'mail__send' })).isError).toBe(true)
  expect(sent).toEqual([])
  const pinned = start()
  expect(errorOf(await pinned.call('call_tool', { name: 'mail__secret_issue' }))).toMatchObject({
    data: { error_code: 'TOOL_BLOCKED' },
  })
  expect(pinned.sent).toEqual([])
})

test('what keeps a server from answering is an error here too', async () => {
  const { call } = start(() => {
    throw new ComposerError('TIMEOUT_ERROR', 'It takes too long.')
  })
  expect(errorOf(await call('call_tool', { name: 'mail__send' }))).toMatchObject({
    message: 'It takes too long.',
  })
})
