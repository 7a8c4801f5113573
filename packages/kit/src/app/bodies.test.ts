import { connect } from 'node:net'
import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { serve } from '../serve/serve.ts'
import { createNotesApp, post, rawRequestText, startNotes, token } from './notes-app.fixture.ts'

const notes = await startNotes()
afterAll(() => notes.close(0))
const { call } = notes

describe('bodies', () => {
  test.each<[string, string | undefined, string, number, string]>([
    ['no media type', undefined, '{"text":"x"}', 415, 'content_type'],
    ['a form', 'application/x-www-form-urlencoded', 'text=x', 415, 'content_type'],
    ['plain text, as a page of another site can send it', 'text/plain', '{"text":"x"}', 415, 'content_type'],
    ['JSON in name only', 'application/json5', '{"text":"x"}', 415, 'content_type'],
    ['no JSON', 'application/json', '{"text":', 400, 'body_syntax'],
    ['JSON of the wrong shape', 'application/json', '{"text":5}', 422, 'validation'],
    ['an array', 'application/json', '[]', 422, 'validation'],
    ['null', 'application/json', 'null', 422, 'validation'],
    ['an unknown field', 'application/json', '{"text":"x","txet":"y"}', 422, 'validation'],
    ['a polluting key', 'application/json', '{"text":"x","__proto__":{"admin":true}}', 422, 'validation'],
    ['deep nesting', 'application/json', '['.repeat(65) + ']'.repeat(65), 400, 'body_shape'],
    ['very many values', 'application/json', `[${'1,'.repeat(450)}1]`, 422, 'validation'],
    ['nesting that never ends', 'application/json', '['.repeat(900), 400, 'body_shape'],
    ['too much', 'application/json', `{"text":"${'x'.repeat(2_000)}"}`, 413, 'body_size'],
  ])('%s', async (_what, type, body, status, reason) => {
    verifies('ALL-BODY-1', 'ALL-BODY-3', 'ALL-BODY-4')
    const answer = await call('/notes/7', {
      method: 'POST',
      body: new TextEncoder().encode(body),
      ...(type && { headers: { 'content-type': type } }),
    })
    expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([status, reason])
  })

  test('a body in pieces has the same bound', async () => {
    const send = (chunk: string, count: number) =>
      sendRaw(
        notes.port,
        `${rawRequestText('POST /notes/7', [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked']).trimEnd()}\r\n\r\n${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`,
      )
    expect((await send('{"text":"x"}', 1)).status).toBe(201)
    expect((await send('x'.repeat(100), 50)).status).toBe(413)
  })

  test('an empty body where one is needed is 400, where none is needed fine', async () => {
    expect(
      (await call('/notes/7', { method: 'POST', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(400)
    expect((await call('/touch', { method: 'POST' })).status).toBe(204)
    expect(
      (await call('/touch', { method: 'POST', body: 'x=1', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(415)
  })

  test('a validation error is a sentence and a list', async () => {
    const answer = await call('/notes/7', post({ text: 5, more: 1 }))
    expect(await answer.json()).toMatchObject({
      oops: expect.stringMatching(/^body\.text: .* \(and 1 more\)$/),
      errors: [{ path: 'body.text' }, {}],
    })
  })

  test('more values than a validator should look at are refused', async () => {
    const app = createNotesApp({ maxBodyBytes: 1024 * 1024 })
    const answer = await app.request('/notes/7', {
      ...post(Array(60_000).fill({})),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    })
    expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([400, 'body_shape'])
  })

  test('the bounds hold where no Node request is underneath, too', async () => {
    const app = createNotesApp()
    const send = async (body: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      return (await app.request('/notes/7', { method: 'POST', body, headers })).status
    }
    expect(await send('{"text":"x"}')).toBe(201)
    expect(await send(`{"text":"${'x'.repeat(2_000)}"}`)).toBe(413)
    expect(await send('['.repeat(100))).toBe(400)
  })

  test('they hold for a path without a route, and for what is mounted inside', async () => {
    const app = createNotesApp()
    app.mount('/inner', async (request) => new Response(await request.text()))
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    for (const path of ['/nowhere', '/inner/x']) {
      expect(
        (await app.request(path, { method: 'POST', body: `"${'x'.repeat(2_000)}"`, headers })).status,
        path,
      ).toBe(413)
    }
  })

  test('a body of very many pieces is refused before it is whole', async () => {
    const head = rawRequestText('POST /notes/7', [
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ])
    const app = createNotesApp({ maxBodyBytes: 1024 * 1024 })
    const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
    const answer = await sendRaw(listening.port, `${head}${'1\r\nx\r\n'.repeat(30_000)}0\r\n\r\n`)
    await listening.close(0)
    expect(answer.status).toBe(413)
  })

  test('a body that its client gives up is no failure of ours', async () => {
    const lines: string[] = []
    const logger = createLogger({
      level: 'error',
      pretty: false,
      destination: { write: (line) => lines.push(line) },
    })
    const metrics = createMetrics({ service: 'notes' })
    const listening = await serve({
      fetch: createNotesApp({ logger, metrics }).fetch,
      host: '127.0.0.1',
      port: 0,
    })
    const socket = connect(listening.port, '127.0.0.1')
    socket.write(
      `${rawRequestText('POST /notes/7', [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 500'])}{"te`,
    )
    await vi.waitFor(
      async () => expect(await metrics.text()).toContain('in_flight{service="notes"} 1'),
      30_000,
    )
    socket.destroy()
    await vi.waitFor(
      async () => expect(await metrics.text()).toContain('in_flight{service="notes"} 0'),
      30_000,
    )
    await listening.close(0)
    expect(lines).toEqual([])
  })
})
