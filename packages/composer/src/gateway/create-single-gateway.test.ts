import type { Era } from '@quire/mcp/connection/era'
import { afterEach, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createSingleGateway } from './create-single-gateway.ts'
import type { DrivenGateway } from './driven-gateway.ts'
import { type Answer, client, createHandServers, errorOf, request, resultOf } from './parts.fixture.ts'

const open: DrivenGateway[] = []

afterEach(() => {
  for (const gateway of open.splice(0)) gateway.close()
})

function start(era: Era, answer: Answer = ({ method, params }) => ({ method, params })) {
  const { servers, ...rest } = createHandServers(['only'], era, answer)
  const [server] = servers
  if (!server) throw new Error('there is no server')
  const gateway = createSingleGateway({ server, calls: rest.calls, logger: createSilentLogger() })
  open.push(gateway)
  return { gateway, server, ...rest }
}

test.each(['tools/list', 'tools/call', 'prompts/get', 'completion/complete', 'vendor/own'])(
  '%s passes as it came, under the own names of the server',
  async (method) => {
    const { gateway, sent } = start('legacy')
    const params = { name: 'x', cursor: 'theirs', _meta: { a: 1 } }
    expect(resultOf(await gateway.handle(request(client('legacy'), method, params)))).toEqual({
      method,
      params,
    })
    expect(sent).toMatchObject([{ server: 'only', method, params }])
  },
)

test('lists of a legacy server are made complete for a stateless client', async () => {
  const { gateway } = start('legacy', () => ({ tools: [] }))
  expect(resultOf(await gateway.handle(request(client('modern'), 'tools/list')))).toEqual({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [],
  })
})

test('it has the face of its server, without what we do not pass on', async () => {
  const { gateway, links } = start('legacy')
  const expected = {
    serverInfo: { name: 'only', version: '1' },
    capabilities: { tools: {}, resources: { subscribe: true } },
    instructions: 'Use only well.',
  }
  expect(gateway.face()).toEqual(expected)
  links.clear()
  expect(gateway.face()).toEqual(expected)
  const discovered = resultOf(await gateway.handle(request(client('modern'), 'server/discover')))
  expect(discovered).toMatchObject({ supportedVersions: ['2026-07-28'], instructions: 'Use only well.' })
  expect(errorOf(await gateway.handle(request(client('legacy'), 'server/discover'))).code).toBe(-32601)
})

test('subscriptions and changes are those of its server', async () => {
  const { gateway, links } = start('legacy')
  const changes: unknown[] = []
  gateway.onChange((change) => changes.push(change))
  const letGo = await gateway.subscribe(client('legacy'), 'any://uri')
  expect(links.get('only')?.subscribed).toEqual(['any://uri'])
  gateway.resourceUpdated('only', 'any://uri')
  gateway.changed('prompts')
  await expect.poll(() => changes).toEqual([{ type: 'resource', uri: 'any://uri' }, { type: 'prompts' }])
  letGo()
  expect(links.get('only')?.subscribed).toEqual([])
})
