import { afterEach, expect, test } from 'vitest'
import { createHandGateways } from './hand-gateway.fixture.ts'
import { client, createHandLink, errorOf, request, resultOf } from './parts.fixture.ts'

const legacy = client('legacy')
const modern = client('modern')
const { start, close } = createHandGateways()

afterEach(close)

test('tools of all servers are listed as they were written, under their common names, and tell whose they are', async () => {
  const { gateway } = start()
  expect(resultOf(await gateway.handle(request(legacy, 'tools/list')))).toEqual({
    tools: [
      {
        name: 'weather__forecast',
        title: 'Forecast',
        description: 'Tells the weather of tomorrow',
        inputSchema: { type: 'object' },
        _meta: { 'quire/origin': { server: 'weather', tool: 'forecast' } },
      },
      {
        name: 'notes__write',
        inputSchema: { type: 'object' },
        _meta: { 'x/y': 1, 'quire/origin': { server: 'notes', tool: 'write' } },
      },
    ],
  })
})

test('a list is what there is, from one request to the next', async () => {
  const { gateway, lists } = start()
  const names = async () =>
    resultOf(await gateway.handle(request(legacy, 'tools/list'))).tools.map(
      (tool: { name: string }) => tool.name,
    )
  await names()
  lists.tools.pop()
  expect(await names()).toEqual(['weather__forecast'])
})

test('a bad cursor is refused', async () => {
  const { gateway } = start()
  expect(errorOf(await gateway.handle(request(legacy, 'tools/list', { cursor: 'x' })))).toMatchObject({
    code: -32602,
  })
})

test('a stateless client discovers who we are, and what the servers say of themselves', async () => {
  const { gateway } = start()
  gateway.linkReplaced('notes')
  gateway.linkReplaced('gone')
  expect(resultOf(await gateway.handle(request(modern, 'server/discover')))).toEqual({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    supportedVersions: ['2026-07-28'],
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    },
    instructions: '## notes\nUse notes well.',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'quire', version: '1.2.3' } },
  })
  expect(gateway.face()).toMatchObject({
    serverInfo: { name: 'quire' },
    instructions: '## notes\nUse notes well.',
  })
})

test('one subscription at the server serves all clients, and ends with the last', async () => {
  const { gateway, links } = start()
  const { subscribed } = links.get('notes') ?? createHandLink('x', 'legacy')
  const changes: unknown[] = []
  gateway.onChange((change) => changes.push(change))
  const [one, other] = await Promise.all([
    gateway.subscribe(legacy, 'note://1'),
    gateway.subscribe(modern, 'note://1'),
  ])
  expect(subscribed).toEqual(['note://1'])
  gateway.resourceUpdated('notes', 'note://1')
  gateway.resourceUpdated('weather', 'note://1')
  expect(changes).toEqual([{ type: 'resource', uri: 'note://1' }])
  one()
  one()
  expect(subscribed).toEqual(['note://1'])
  other()
  expect(subscribed).toEqual([])
  gateway.resourceUpdated('notes', 'note://1')
  expect(changes).toHaveLength(1)
})

test('only the server that has a resource tells of its updates, whatever others are subscribed to', async () => {
  const { gateway, lists } = start()
  lists.resources.push({ server: 'weather', item: { uri: 'weather://now', name: 'now' } })
  const changes: unknown[] = []
  gateway.onChange((change) => changes.push(change))
  await gateway.subscribe(legacy, 'note://1')
  await gateway.subscribe(legacy, 'weather://now')
  gateway.resourceUpdated('weather', 'note://1')
  gateway.resourceUpdated('notes', 'weather://now')
  gateway.resourceUpdated('weather', 'nobody://knows')
  expect(changes).toEqual([])
  gateway.resourceUpdated('weather', 'weather://now')
  expect(changes).toEqual([{ type: 'resource', uri: 'weather://now' }])
})

test('subscriptions are made again at a new link, and only there', async () => {
  const { gateway, links } = start()
  await gateway.subscribe(legacy, 'note://1')
  const next = createHandLink('notes', 'legacy')
  gateway.linkReplaced('notes')
  expect(links.get('notes')?.subscribed).toEqual(['note://1'])
  links.set('notes', next)
  gateway.linkReplaced('weather')
  gateway.linkReplaced('notes')
  await expect.poll(() => next.subscribed).toEqual(['note://1'])
})

test('a subscription that cannot be is refused, and can be tried again', async () => {
  const { gateway, links } = start()
  await expect(gateway.subscribe(legacy, 'x://y')).rejects.toMatchObject({ name: 'RpcFault', code: -32002 })
  const { link } = createHandLink('notes', 'legacy')
  const info = () => ({ ...link.info(), capabilities: { resources: {} } })
  links.set('notes', { link: { ...link, info }, notified: [], subscribed: [] })
  await expect(gateway.subscribe(legacy, 'note://1')).rejects.toMatchObject({
    name: 'RpcFault',
    code: -32601,
  })
  const able = createHandLink('notes', 'legacy')
  links.set('notes', able)
  await gateway.subscribe(legacy, 'note://1')
  expect(able.subscribed).toEqual(['note://1'])
})

test('a burst of changes of a list is told once for each list', async () => {
  const { gateway } = start()
  const changes: string[] = []
  const stop = gateway.onChange(({ type }) => changes.push(type))
  for (let index = 0; index < 20; index += 1) gateway.changed('tools')
  gateway.changed('resources')
  await expect.poll(() => changes).toEqual(['tools', 'resources'])
  gateway.changed('tools')
  await expect.poll(() => changes).toEqual(['tools', 'resources', 'tools'])
  stop()
  gateway.resourceUpdated('notes', 'note://1')
  expect(changes).toHaveLength(3)
})

test('changed roots are told to the servers that the client has called, and to no others', async () => {
  const { gateway, links } = start()
  const told = () => [...links].map(([name, { notified }]) => [name, notified.length])
  await gateway.handle(request(legacy, 'tools/call', { name: 'notes__write' }))
  gateway.notified(legacy, 'notifications/roots/list_changed', {})
  gateway.notified(client('legacy'), 'notifications/roots/list_changed', {})
  gateway.notified(legacy, 'notifications/other', {})
  expect(told()).toEqual([
    ['weather', 0],
    ['notes', 1],
  ])
})
