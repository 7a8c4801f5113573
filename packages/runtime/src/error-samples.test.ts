import { createKeyStore } from '@quire/kit/auth/issued-keys/key-store'
import { parseRateLimits } from '@quire/kit/rate-limit/rate-limits'
import { verifies } from '@quire/spec/verifies'
import { afterAll, expect, test } from 'vitest'
import { type Document, operationsOf } from './openapi.fixture.ts'
import { startRuntime } from './runtime.fixture.ts'

const KEY = 'configured-0123456789'
const service = await startRuntime({ apiKeys: [KEY], rateLimits: parseRateLimits('listConversations=1/m') })
afterAll(service.close)
const document = (await (await service.ask('GET', '/openapi.json')).json()) as Document
const operations = operationsOf(document)

interface Sent {
  readonly path?: Readonly<Record<string, string>>
  readonly body?: string
  readonly type?: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

async function send(operationId: string, { path = {}, body, type, key = KEY, headers = {} }: Sent) {
  const found = operations.find(({ operation }) => operation.operationId === operationId)
  if (!found) throw new Error(`there is no ${operationId}`)
  const target = found.path.replaceAll(/\{(\w+)\}/g, (_match, name) => path[name] ?? 'guide')
  const response = await fetch(`${service.url}${target}`, {
    method: found.method.toUpperCase(),
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  })
  const described = found.operation.responses[response.status]
  return { response, answer: await response.json(), described }
}

const scoped = await (await createKeyStore(service.store, 'runtime')).issue({
  name: 'reader',
  scopes: ['agents:read'],
})
const ASK = '{"message": "hi", "conversation_id": "my-first"}'
await send('promptAgentSync', { body: ASK })
for (const agent of [{ name: 'Other' }, { name: 'Keyless', model: 'openai:gpt-5.4' }])
  await send('createAgent', { body: JSON.stringify(agent) })

test.each<[number, string, Sent]>([
  [400, 'promptAgent', { body: '{"message":' }],
  [401, 'listAgents', { key: null }],
  [403, 'promptAgent', { key: scoped.token, body: ASK }],
  [404, 'getAgent', { path: { agent_id: 'nobody' } }],
  [404, 'promptAgent', { path: { agent_id: 'nobody' }, body: ASK }],
  [404, 'promptA2ui', { path: { agent_id: 'nobody' }, body: ASK }],
  [404, 'getConversation', { path: { conversation_id: 'nothing' } }],
  [404, 'callUiTool', { path: { toolset: 'nothing' }, body: '{}' }],
  [409, 'createAgent', { body: '{"id": "guide", "name": "Guide"}' }],
  [409, 'promptAgent', { path: { agent_id: 'other' }, body: ASK }],
  [413, 'promptAgent', { body: `"${'x'.repeat(1024 * 1024)}"` }],
  [415, 'promptAgent', { body: ASK, type: 'text/plain' }],
  [422, 'promptAgentSync', { body: '{}' }],
  [503, 'promptAgentSync', { path: { agent_id: 'keyless' }, body: '{"message": "hi"}' }],
])('the sample of %d of %s is what really comes', async (status, operationId, sent) => {
  verifies('RT-ERR-1')
  const { response, answer, described } = await send(operationId, sent)
  expect(response.status).toBe(status)
  expect(answer).toEqual(described?.content?.['application/json']?.example)
})

test('what the guards answer is described, with its headers', async () => {
  const host = await send('listAgents', { headers: { origin: 'https://elsewhere.example' } })
  expect([host.response.status, host.described?.description]).toEqual([
    403,
    expect.stringContaining('Origin'),
  ])
  await send('listConversations', {})
  const { response, answer, described } = await send('listConversations', {})
  expect(response.status).toBe(429)
  expect(answer).toMatchObject({
    detail: expect.stringMatching(/^Too many requests\. Try again in \d+ s\.$/),
  })
  for (const name of ['Retry-After', 'RateLimit', 'RateLimit-Policy']) {
    expect(response.headers.has(name)).toBe(true)
    expect(described?.headers).toHaveProperty(name)
  }
})
