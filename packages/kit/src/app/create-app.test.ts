import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { Hono } from 'hono'
import { afterAll, describe, expect, test } from 'vitest'
import { createApp } from './create-app.ts'
import { createNotesApp, post, rawRequestText, startNotes, token } from './notes-app.fixture.ts'
import { CALLER } from './service-env.ts'

const notes = await startNotes()
afterAll(() => notes.close(0))
const { call } = notes

describe('a request that is in order', () => {
  test('reaches its handler, validated, with who is calling', async () => {
    const answer = await call('/notes/7', post({ text: 'hello' }))
    expect(answer.status).toBe(201)
    expect(await answer.json()).toEqual({ id: '7', text: 'hello', by: 'full' })
  })

  test('carries a request id, the one that was sent when it is plain', async () => {
    expect((await call('/notes')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect((await call('/notes', { headers: { 'x-request-id': 'abc-1' } })).headers.get('x-request-id')).toBe(
      'abc-1',
    )
    expect(
      (await call('/notes', { headers: { 'x-request-id': '<script>' } })).headers.get('x-request-id'),
    ).not.toContain('<')
  })

  test('may end in a slash', async () => {
    verifies('ALL-OPS-6')
    expect((await call('/notes/')).status).toBe(200)
    expect((await call('/notes/7/', post({ text: 'hello' }))).status).toBe(201)
  })

  test('is never sniffed', async () => {
    for (const path of ['/notes', '/raw', '/nothing'])
      expect((await call(path)).headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('paths and methods', () => {
  test.each([
    ['GET //notes'],
    ['GET /notes/../notes'],
    ['GET /notes/%2e%2e/public'],
    ['GET /x%2Fnotes'],
    ['GET /notes\\7'],
    ['GET /public;/notes'],
    ['GET http://localhost/public'],
    ['GET http://evil.example/public'],
    ['OPTIONS *'],
    ['GET /public%00'],
    ['GET /public%zz'],
    ['GET /notes#x'],
  ])('%s is refused before anything else', async (line) => {
    const answer = await sendRaw(notes.port, rawRequestText(line, ['Origin: https://evil.example']))
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).reason).toBe('path_shape')
  })

  test('an unknown path is 404 in the words of the service', async () => {
    const answer = await call('/nothing')
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { oops: 'There is nothing at /nothing.', reason: 'not_found' },
    ])
  })

  test('a wrong method is 405 and says which are right', async () => {
    const answer = await call('/notes/7', { method: 'DELETE' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await call('/notes', { method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD')
    expect((await call('/notes', { method: 'HEAD' })).status).toBe(200)
  })

  test('TRACE is refused in the words of the service, after every guard', async () => {
    const refusal = async (path: string, headers: readonly string[], host = 'localhost') => {
      const text = rawRequestText(`TRACE ${path}`, headers).replace('Host: localhost', `Host: ${host}`)
      const { status, body } = await sendRaw(notes.port, text)
      return [status, JSON.parse(body).reason]
    }
    expect(await refusal('/public', [])).toEqual([405, 'method'])
    expect(await refusal('/notes', [`Authorization: Bearer ${token}`])).toEqual([405, 'method'])
    expect(await refusal('/notes', [])).toEqual([401, 'token_missing'])
    expect(await refusal('/public', [], 'evil.example')).toEqual([421, 'host'])
  })

  test.each([['FOO /notes'], ['TRACK /notes'], ['PURGE /notes']])(
    '%s is answered, not crashed on',
    async (line) => {
      const answer = await sendRaw(notes.port, rawRequestText(line, [`Authorization: Bearer ${token}`]))
      expect([400, 405]).toContain(answer.status)
      expect((await call('/notes')).status).toBe(200)
    },
  )
})

describe('failures', () => {
  test('ours are a plain 500 without a word of the cause', async () => {
    const answer = await call('/fail/internal')
    expect(answer.status).toBe(500)
    expect(JSON.stringify(await answer.json())).not.toMatch(/hunter2|create-app|at /)
  })

  test("the caller's have their own words and headers", async () => {
    const answer = await call('/fail/caller')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
    expect(await answer.json()).toEqual({ oops: 'The kitchen is closed.', reason: 'unavailable' })
  })

  test('a thrown thing that is no error is a 500 too', async () => {
    const answer = await call('/fail/odd')
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { oops: expect.any(String), reason: 'internal' },
    ])
  })
})

test('guards are applied by a mounted service that was given some', async () => {
  verifies('ALL-MOUNT-2', 'ALL-ORIGIN-2')
  const parent = new Hono().mount('/notes-app', createNotesApp().fetch)
  const ask = (url: string, headers = {}) =>
    parent.request(url, { headers: { authorization: `Bearer ${token}`, ...headers } })
  expect((await ask('http://localhost/notes-app/notes')).status).toBe(200)
  expect((await ask('http://evil.example/notes-app/notes')).status).toBe(421)
  expect((await ask('http://localhost/notes-app/notes', { origin: 'https://evil.example' })).status).toBe(403)
})

test('without guards a parent application decides about Host and Origin', async () => {
  verifies('ALL-MOUNT-1')
  const app = createApp({ errorBody: ({ detail }) => ({ detail }) })
  app.get('/', (c) => c.text(c.get('principal').subject))
  const answer = await app.request('http://anything.example/', {
    headers: { origin: 'https://elsewhere.example' },
  })
  expect([answer.status, await answer.text()]).toEqual([200, 'anonymous'])
})

test('a program that asks its own services says who calls; nothing on the wire can', async () => {
  const authentication = { verify: () => null, realm: 'x' }
  const app = createApp({ errorBody: ({ detail }) => ({ detail }), authentication })
  app.get('/who', (c) => c.text(c.get('principal').subject))
  const parent = new Hono().mount('/x', app.fetch)
  const answer = await parent.request('http://localhost/x/who', {}, { [CALLER]: { subject: 'ourselves' } })
  expect([answer.status, await answer.text()]).toEqual([200, 'ourselves'])
  const forged = { [CALLER.description ?? '']: 'ourselves', caller: 'ourselves' }
  expect(
    (await parent.request('http://localhost/x/who', { headers: { caller: 'ourselves' } }, forged)).status,
  ).toBe(401)
})
