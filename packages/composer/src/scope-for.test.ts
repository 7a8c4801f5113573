import { expect, test } from 'vitest'
import { scopeFor } from './scope-for.ts'

const listen = (notifications: unknown) => ({ method: 'subscriptions/listen', params: { notifications } })

test.each([
  [{ method: 'initialize' }, []],
  [{ method: 'ping' }, []],
  [{ method: 'notifications/initialized' }, []],
  [{ result: {} }, []],
  [{ method: '__proto__' }, []],
  [{ method: 'tools/list' }, ['tools:list']],
  [{ method: 'resources/templates/list' }, ['tools:list']],
  [{ method: 'tools/call' }, ['tools:invoke']],
  [{ method: 'prompts/get' }, ['tools:invoke']],
  [{ method: 'resources/read' }, ['tools:invoke']],
  [{ method: 'resources/subscribe' }, ['tools:invoke']],
  [{ method: 'completion/complete' }, ['tools:invoke']],
  [{ method: 'subscriptions/listen' }, ['tools:list']],
  [listen({ toolsListChanged: true }), ['tools:list']],
  [listen({ resourceSubscriptions: ['memo://one'] }), ['tools:list', 'tools:invoke']],
])('%j needs %j', (message, scopes) => {
  expect(scopeFor(message)).toEqual(scopes)
})
