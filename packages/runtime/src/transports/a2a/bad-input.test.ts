import { afterAll, expect, test } from 'vitest'
import { READER, startTransports } from '../transports.fixture.ts'
import { rpc } from './a2a.fixture.ts'

const served = await startTransports()
afterAll(served.close)

const said = (parts: unknown, more: object = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts, ...more },
})
const hello = [{ text: 'hello' }]

test.each([
  ['a list', [], -32600],
  ['null', null, -32600],
  ['another version of JSON-RPC', { ...rpc('GetTask', {}), jsonrpc: '1.0' }, -32600],
  ['no method', { jsonrpc: '2.0', id: 1 }, -32600],
  ['an object for an id', { ...rpc('GetTask', {}), id: {} }, -32600],
  ['a method of 0.3', rpc('message/send', {}), -32601],
  ['a method of every object', rpc('constructor', {}), -32601],
  ['no params', rpc('SendMessage', undefined), -32602],
  ['params that are a list', rpc('SendMessage', []), -32602],
  ['no message', rpc('SendMessage', {}), -32602],
  ['no parts', rpc('SendMessage', said([])), -32602],
  ['a part that is null', rpc('SendMessage', said([null])), -32602],
  ['a number for a text', rpc('SendMessage', said([{ text: 7 }])), -32602],
  ['an empty text', rpc('SendMessage', said([{ text: '' }])), -32602],
  ['a NUL', rpc('SendMessage', said([{ text: 'a\0b' }])), -32602],
  ['the role of the agent', rpc('SendMessage', said(hello, { role: 'ROLE_AGENT' })), -32602],
  ['no id of the message', rpc('SendMessage', said(hello, { messageId: undefined })), -32602],
  ['a context that is a path', rpc('SendMessage', said(hello, { contextId: '../x' })), -32602],
  ['a file', rpc('SendMessage', said([{ url: 'file:///etc/passwd' }])), -32005],
  ['data', rpc('SendStreamingMessage', said([{ data: {} }])), -32005],
  [
    'a push notification',
    rpc('SendMessage', { ...said(hello), configuration: { taskPushNotificationConfig: {} } }),
    -32003,
  ],
  ['push notifications', rpc('CreateTaskPushNotificationConfig', {}), -32003],
  ['the extended card', rpc('GetExtendedAgentCard', {}), -32007],
  ['a task without an id', rpc('GetTask', {}), -32602],
  ['a task that there is not', rpc('GetTask', { id: 'x~y' }), -32001],
  ['an id that is none', rpc('GetTask', { id: 'x' }), -32001],
  ['an odd id', rpc('CancelTask', { id: '../~%00' }), -32001],
  ['a stream of nothing', rpc('SubscribeToTask', { id: 'x~y' }), -32001],
  ['a history below nothing', rpc('GetTask', { id: 'x~y', historyLength: -1 }), -32602],
  ['a page of nothing', rpc('ListTasks', { contextId: 'x', pageSize: 0 }), -32602],
  ['a page that is none', rpc('ListTasks', { contextId: 'x', pageToken: '-1' }), -32602],
])('%s is answered with the error that A2A has for it', async (_name, body, code) => {
  const response = await served.call('/a2a/agents/guide', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { code, message: expect.any(String) },
  })
})

test.each([
  ['', -32009],
  ['0.3', -32009],
  ['2.0', -32009],
  ['1.0', -32001],
  ['1.0.1', -32001],
])('with the version "%s" the answer is %i', async (version, code) => {
  const response = await served.call('/a2a/agents/guide', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(version && { 'a2a-version': version }) },
    body: JSON.stringify(rpc('GetTask', { id: 'x~y' })),
  })
  expect(await response.json()).toMatchObject({ id: 'r1', error: { code } })
})

test('a failure of ours is logged, and told without its internals', async () => {
  const body = { ...rpc('SendMessage', said(hello)) }
  const answer = await served.call('/a2a/agents/guide', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify(body),
  })
  expect(await answer.json()).toEqual({
    jsonrpc: '2.0',
    id: 'r1',
    error: { code: -32603, message: 'Something went wrong on our side. Try again.' },
  })
  expect(served.log.join('')).toContain('there is no script')
})

test('what is no JSON, an unknown agent, a missing key and one that may not prompt', async () => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
  expect((await served.call('/a2a/agents/guide', { ...init, body: '{' })).status).toBe(400)
  expect((await served.call('/a2a/agents/nobody', { ...init, body: '{}' })).status).toBe(404)
  expect((await served.call('/a2a/agents/guide', { ...init, body: '{}', as: null })).status).toBe(401)
  expect((await served.call('/a2a/agents/guide', { ...init, body: '{}', as: READER })).status).toBe(403)
  const card = '/a2a/agents/nobody/.well-known/agent-card.json'
  expect((await served.call(card, { as: READER })).status).toBe(404)
  expect((await served.call(card, { as: null })).status).toBe(401)
})
