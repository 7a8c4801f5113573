import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { post, rawRequestText, startNotes, token } from './notes-app.fixture.ts'

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
    ['deep nesting', 'application/json', '['.repeat(65) + ']'.repeat(65), 400, 'body_depth'],
    ['nesting that never ends', 'application/json', '['.repeat(900), 400, 'body_depth'],
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
})
