import { afterEach, describe, expect, test } from 'vitest'
import { createHosting, post, toModern } from '../front-host.fixture.ts'
import { createTestGateway } from '../gateway.fixture.ts'
import { readEvents } from '../sse-reader.fixture.ts'

const { host, closeAll } = createHosting()
afterEach(closeAll)

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

function ask(url: string, { body, headers }: ReturnType<typeof toModern>, more = {}) {
  return post(url, body, { ...headers, ...more })
}

describe('subscriptions/listen', () => {
  const toListen = (notifications: unknown) => toModern('sub', 'subscriptions/listen', { notifications })

  test('first tells what is granted, then the changes of that', async () => {
    const { url, gateway } = await host()
    const wish = {
      toolsListChanged: true,
      promptsListChanged: false,
      resourceSubscriptions: ['a:1', 'deny:1', 'a:1'],
    }
    const events = readEvents(await ask(url, toListen(wish)))
    expect(await events.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: { [SUBSCRIPTION]: 'sub' },
        notifications: { toolsListChanged: true, resourceSubscriptions: ['a:1'] },
      },
    })
    for (const type of ['prompts', 'resources', 'tools'] as const) gateway.change({ type })
    gateway.change({ type: 'resource', uri: 'a:2' })
    gateway.change({ type: 'resource', uri: 'a:1' })
    const params = { _meta: { [SUBSCRIPTION]: 'sub' } }
    expect(await events.message()).toMatchObject({ method: 'notifications/tools/list_changed', params })
    expect(await events.message()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { ...params, uri: 'a:1' },
    })
    await events.cancel()
    await expect.poll(() => [gateway.subscribed.length, gateway.listeners()]).toEqual([0, 1])
  })

  test('grants what there is', async () => {
    const capabilities = { tools: {}, resources: { subscribe: false, listChanged: true } }
    const { url, gateway } = await host({ gateway: createTestGateway({ capabilities }) })
    const wish = { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['a:1'] }
    const events = readEvents(await ask(url, toListen(wish)))
    expect(await events.message()).toMatchObject({
      params: { notifications: { resourcesListChanged: true } },
    })
    expect(gateway.subscribed).toEqual([])
    await events.cancel()
  })

  test('that can be granted nothing ends at once', async () => {
    const { url } = await host()
    const events = readEvents(await ask(url, toListen({})))
    expect(await events.message()).toMatchObject({ params: { notifications: {} } })
    expect(await events.message()).toMatchObject({
      id: 'sub',
      result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 'sub' } },
    })
    expect(await events.next()).toBeUndefined()
  })

  test('ends with a result when the front does', async () => {
    const { url, front, gateway } = await host()
    const events = readEvents(
      await ask(url, toListen({ toolsListChanged: true, resourceSubscriptions: ['a:1'] })),
    )
    await events.message()
    await front.close()
    expect(await events.message()).toEqual({
      jsonrpc: '2.0',
      id: 'sub',
      result: {
        resultType: 'complete',
        _meta: {
          [SUBSCRIPTION]: 'sub',
          'io.modelcontextprotocol/serverInfo': { name: 'test-gateway', version: '1.2.3' },
        },
      },
    })
    expect(await events.next()).toBeUndefined()
    expect([gateway.subscribed.length, gateway.listeners()]).toEqual([0, 0])
  })

  test('ends with the credential', async () => {
    const revocation = new AbortController()
    const callers = { ada: { subject: 'ada', revoked: revocation.signal } }
    const { url, gateway } = await host({ callers })
    const events = readEvents(await ask(url, toListen({ toolsListChanged: true }), { 'x-caller': 'ada' }))
    await events.message()
    revocation.abort()
    expect(await events.next()).toBeUndefined()
    expect(gateway.listeners()).toBe(1)
  })

  test('has so many streams, and each caller so many', async () => {
    const { url } = await host({ maxStreams: 2, maxStreamsPerCaller: 1 })
    const wish = toListen({ toolsListChanged: true })
    const open = async (caller: string) => {
      const response = await ask(url, wish, { 'x-caller': caller })
      return response.headers.get('content-type') === 'text/event-stream' ? 'open' : response.json()
    }
    const refused = { id: 'sub', error: { code: -32603 } }
    expect(await open('ada')).toBe('open')
    expect(await open('ada')).toMatchObject(refused)
    expect(await open('bob')).toBe('open')
    expect(await open('ada-reader')).toMatchObject(refused)
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a word for a flag', { toolsListChanged: 'yes' }],
    ['a word for a list', { resourceSubscriptions: 'a:1' }],
    ['numbers', { resourceSubscriptions: [1] }],
    ['too many', { resourceSubscriptions: Array.from({ length: 1001 }, (_, index) => `a:${index}`) }],
  ])('with %s is refused', async (_what, notifications) => {
    const { url, gateway } = await host()
    const response = await ask(url, toListen(notifications))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ id: 'sub', error: { code: -32602 } })
    expect(gateway.listeners()).toBe(1)
  })
})
