import { StoreUnavailable } from '@quire/kit/store/errors'
import { afterAll, expect, test } from 'vitest'
import type { Teams } from '../teams.ts'
import { READER, type Served, serveA2a, WRITER } from './a2a.fixture.ts'

const served = await serveA2a({ Ada: 'Done.' })
const team = await served.engine.startedTeam(['Ada'])
const other = await served.engine.createTeam(['Ada'])
const foreign = await served.engine.createTask(other)
const ended = await served.engine.until(await served.engine.createTask(team), 'completed')
afterAll(served.close)

const PATH = `/teams/${team.id}/a2a`
const HEADERS = { 'content-type': 'application/json', 'a2a-version': '1.0' }

const rpc = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 'r1', method, params })
const said = (parts: unknown, more: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, ...more },
})
const hello = [{ text: 'hello' }]

function post(
  body: unknown,
  init: RequestInit & { as?: string | null; path?: string } = {},
  on: Served = served,
) {
  const { path = PATH, headers, ...rest } = init
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return on.call(path, { method: 'POST', body: text, ...rest, headers: { ...HEADERS, ...headers } })
}

test.each([
  ['a list', [rpc('GetTask', {})], -32600],
  ['null', null, -32600],
  ['a text', '"hello"', -32600],
  ['another version of JSON-RPC', { ...rpc('GetTask', {}), jsonrpc: '1.0' }, -32600],
  ['no method', { jsonrpc: '2.0', id: 1 }, -32600],
  ['a number for a method', { jsonrpc: '2.0', id: 1, method: 7 }, -32600],
  ['an object for an id', { ...rpc('GetTask', {}), id: {} }, -32600],
  ['half a number for an id', { ...rpc('GetTask', {}), id: 1.5 }, -32600],
  ['a method of 0.3', rpc('message/send', said(hello)), -32601],
  ['a method of every object', rpc('constructor', {}), -32601],
  ['a method that is the prototype', rpc('__proto__', {}), -32601],
  ['a huge method', rpc('x'.repeat(100_000), {}), -32601],
  ['no params', rpc('SendMessage'), -32602],
  ['params that are a list', rpc('SendMessage', []), -32602],
  ['params that are a text', rpc('GetTask', 'x'), -32602],
  ['no message', rpc('SendMessage', {}), -32602],
  ['a message that is null', rpc('SendMessage', { message: null }), -32602],
  ['no parts', rpc('SendMessage', said([])), -32602],
  ['parts that are an object', rpc('SendMessage', said({})), -32602],
  ['too many parts', rpc('SendMessage', said(Array(1_001).fill(hello[0]))), -32602],
  ['a part that is null', rpc('SendMessage', said([null])), -32602],
  ['a number for a text', rpc('SendMessage', said([{ text: 7 }])), -32602],
  ['an empty text', rpc('SendMessage', said([{ text: '' }])), -32602],
  ['a blank text', rpc('SendStreamingMessage', said([{ text: ' \n\t ' }])), -32602],
  ['a NUL', rpc('SendMessage', said([{ text: 'a\0b' }])), -32602],
  ['half a character', rpc('SendMessage', said([{ text: 'a\ud800' }])), -32602],
  ['a text that is too long', rpc('SendMessage', said([{ text: 'x'.repeat(300 * 1024) }])), -32602],
  ['the role of the agent', rpc('SendMessage', said(hello, { role: 'ROLE_AGENT' })), -32602],
  ['a role of 0.3', rpc('SendMessage', said(hello, { role: 'user' })), -32602],
  ['no id of the message', rpc('SendMessage', said(hello, { messageId: undefined })), -32602],
  ['an empty id of the message', rpc('SendMessage', said(hello, { messageId: '' })), -32602],
  ['a huge id of the message', rpc('SendMessage', said(hello, { messageId: 'x'.repeat(256) })), -32602],
  ['an object for a context', rpc('SendMessage', said(hello, { contextId: {} })), -32602],
  ['a text for references', rpc('SendMessage', said(hello, { referenceTaskIds: 'x' })), -32602],
  ['a reference to nothing', rpc('SendMessage', said(hello, { referenceTaskIds: ['x'] })), -32602],
  ['a reference elsewhere', rpc('SendMessage', said(hello, { referenceTaskIds: [foreign.id] })), -32602],
  ['a file by its address', rpc('SendMessage', said([{ url: 'file:///etc/passwd' }])), -32005],
  ['a file', rpc('SendMessage', said([...hello, { raw: 'aGk=', filename: 'a.txt' }])), -32005],
  ['bytes that are none', rpc('SendMessage', said([{ raw: 5 }])), -32005],
  ['data', rpc('SendStreamingMessage', said([{ data: {} }])), -32005],
  ['a task to go on with', rpc('SendMessage', said(hello, { taskId: ended.id })), -32004],
  ['a task that there is not', rpc('SendMessage', said(hello, { taskId: 'x' })), -32001],
  ['a task of another team', rpc('SendMessage', said(hello, { taskId: foreign.id })), -32001],
  [
    'a push notification',
    rpc('SendMessage', {
      ...said(hello),
      configuration: { taskPushNotificationConfig: { url: 'http://x' } },
    }),
    -32003,
  ],
  ['a text for the configuration', rpc('SendMessage', { ...said(hello), configuration: 'x' }), -32602],
  ['push notifications', rpc('CreateTaskPushNotificationConfig', { url: 'http://x' }), -32003],
  ['push notifications without params', rpc('GetTaskPushNotificationConfig'), -32003],
  ['a list of push notifications', rpc('ListTaskPushNotificationConfigs', {}), -32003],
  ['the end of push notifications', rpc('DeleteTaskPushNotificationConfig', {}), -32003],
  ['the extended card', rpc('GetExtendedAgentCard'), -32007],
  ['no id of a task', rpc('GetTask', {}), -32602],
  ['a number for an id of a task', rpc('GetTask', { id: 7 }), -32602],
  ['an id of nothing', rpc('GetTask', { id: 'x' }), -32001],
  ['an odd id', rpc('CancelTask', { id: '../%00' }), -32001],
  ['the id of the team', rpc('GetTask', { id: team.id }), -32001],
  ['the task of another team', rpc('GetTask', { id: foreign.id }), -32001],
  ['the end of the task of another team', rpc('CancelTask', { id: foreign.id }), -32001],
  ['a stream of the task of another team', rpc('SubscribeToTask', { id: foreign.id }), -32001],
  ['a stream of what is over', rpc('SubscribeToTask', { id: ended.id }), -32004],
  ['the end of what is over', rpc('CancelTask', { id: ended.id }), -32002],
  ['a history below nothing', rpc('GetTask', { id: ended.id, historyLength: -1 }), -32602],
  ['a page of nothing', rpc('ListTasks', { pageSize: 0 }), -32602],
  ['a page of everything', rpc('ListTasks', { pageSize: 101 }), -32602],
  ['a page that is none', rpc('ListTasks', { pageToken: '-1' }), -32602],
  ['a state that is none', rpc('ListTasks', { status: 'TASK_STATE_LOST' }), -32602],
  ['a time that is none', rpc('ListTasks', { statusTimestampAfter: 'yesterday' }), -32602],
  ['a context that is not the team', rpc('ListTasks', { contextId: 'x' }), -32004],
])('%s is answered with the error that A2A has for it', async (_name, body, code) => {
  const response = await post(body)
  expect(response.status).toBe(200)
  const { error, ...rest } = Object(await response.json())
  expect(rest).toEqual({ jsonrpc: '2.0', id: code === -32600 ? null : 'r1' })
  expect(error).toMatchObject({ code, message: expect.stringMatching(/^.{10,600}$/) })
})

test('none of it has become a task', async () => {
  expect(await served.engine.teams.listTasks(team.id)).toHaveLength(1)
  expect(await served.engine.teams.getTask(other.id, foreign.id)).toMatchObject({ status: 'pending' })
})

test.each([
  ['', -32009],
  ['0.3', -32009],
  ['1', -32009],
  ['1.00', -32009],
  ['2.0', -32009],
  ['1.0', -32001],
  ['1.0.1', -32001],
])('with the version "%s" the answer is %i', async (version, code) => {
  const response = await post(rpc('GetTask', { id: 'x' }), { headers: { 'a2a-version': version } })
  expect(await response.json()).toMatchObject({ id: 'r1', error: { code } })
})

const SEND = rpc('SendMessage', said(hello))
const GET = rpc('GetTask', { id: ended.id })

test.each([
  ['what is no JSON', '{', {}, 400],
  ['what says that it is none', SEND, { headers: { 'content-type': 'text/plain' } }, 415],
  ['what is too large', `"${'x'.repeat(1024 * 1024)}"`, {}, 413],
  ['what is too deep', '['.repeat(100) + ']'.repeat(100), {}, 400],
  ['an unknown team', GET, { path: '/teams/nobody/a2a' }, 404],
  ['an odd team', GET, { path: '/teams/a%20b/a2a' }, 404],
  ['another method of HTTP', GET, { method: 'PUT' }, 405],
  ['no key', GET, { as: null }, 401],
  ['a wrong key', GET, { as: 'wrong-access-0123456789abcdef' }, 401],
  ['a key that may not send', SEND, { as: READER }, 403],
  ['a key that may not stream', rpc('SendStreamingMessage', said(hello)), { as: READER }, 403],
  ['a key that may not cancel', rpc('CancelTask', { id: ended.id }), { as: READER }, 403],
  ['a key that may not look', GET, { as: WRITER }, 403],
  ['a key that may not list', rpc('ListTasks', {}), { as: WRITER }, 403],
  ['a key that may not look, and asks for nothing', null, { as: WRITER }, 403],
  ['a key that may not look, for an unknown team', GET, { as: WRITER, path: '/teams/nobody/a2a' }, 403],
  ['a key that may not watch', rpc('SubscribeToTask', { id: ended.id }), { as: WRITER }, 403],
])('%s is refused by HTTP', async (_name, body, init, status) => {
  const response = await post(body, init)
  expect([response.status, await response.json()]).toEqual([status, { detail: expect.any(String) }])
  if (status === 403) expect(response.headers.get('www-authenticate')).toContain('insufficient_scope')
})

test('with its scope alone each does what it may', async () => {
  expect(await (await post(GET, { as: READER })).json()).toMatchObject({ result: { id: ended.id } })
  expect(await (await post(SEND, { as: WRITER })).json()).toMatchObject({
    result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
  })
  const card = (as: string | null, id = team.id) =>
    served.call(`/teams/${id}/a2a/.well-known/agent-card.json`, { as })
  expect((await card(READER)).status).toBe(200)
  expect((await card(WRITER)).status).toBe(403)
  expect((await card(null)).status).toBe(401)
  expect((await card(READER, 'nobody')).status).toBe(404)
})

test('a failure of ours is logged, and told without its internals', async () => {
  const broken = await serveFailing(new Error('the password is hunter2'))
  try {
    const answer = await post(GET, {}, broken)
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 'r1',
      error: { code: -32603, message: 'Something went wrong on our side. Try again.' },
    })
    expect(broken.log.join('')).toContain('hunter2')
  } finally {
    await broken.close()
  }
})

test('a database that is away is told by HTTP, which can say when to come again', async () => {
  const broken = await serveFailing(new StoreUnavailable('it is locked'))
  try {
    const answer = await post(GET, {}, broken)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  } finally {
    await broken.close()
  }
})

test('a stream that breaks on our side ends with an error', async () => {
  const broken = await serveFailing(new Error('the password is hunter2'), 'events')
  try {
    const answer = await post(rpc('SendStreamingMessage', said(hello)), {}, broken)
    const [task, last] = (await answer.text()).trim().split('\n\n')
    expect(task).toContain('"TASK_STATE_SUBMITTED"')
    expect(last).toContain('"code":-32603')
    expect(last).not.toContain('hunter2')
  } finally {
    await broken.close()
  }
})

/** With a team of the same id, which it needs no store to know. */
function serveFailing(error: Error, ...names: readonly (keyof Teams)[]): Promise<Served> {
  const fails = () => Promise.reject(error)
  const failing = Object.fromEntries((names.length > 0 ? names : ['getTask']).map((name) => [name, fails]))
  return serveA2a({}, { wrap: () => ({ ...served.engine.teams, ...failing }) })
}
