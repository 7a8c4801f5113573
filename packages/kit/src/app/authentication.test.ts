import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { createNotesApp, narrow, post, rawRequestText, startNotes, token } from './notes-app.fixture.ts'

const notes = await startNotes()
afterAll(() => notes.close(0))
const { call } = notes

describe('authentication', () => {
  test('is asked of every route but the public ones', async () => {
    verifies('ALL-AUTH-1', 'ALL-AUTH-4')
    for (const path of ['/notes', '/raw', '/nothing', '/notes/7', '/fail/internal']) {
      const answer = await call(path, { as: null })
      expect(answer.status, path).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="notes"')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await answer.json()).toEqual({
        oops: expect.stringContaining('Authorization: Bearer'),
        reason: 'token_missing',
      })
    }
    expect((await call('/public', { as: null })).status).toBe(200)
    expect((await call('/shell/app.js', { as: null })).status).toBe(200)
  })

  test('a public path is public for its method alone', async () => {
    expect((await call('/public', { as: null, method: 'DELETE' })).status).toBe(401)
  })

  test('names all scopes that a route needs', async () => {
    verifies('ALL-SCOPE-1', 'ALL-SCOPE-2')
    const answer = await call('/notes/7', { ...post({ text: 'x' }), as: narrow })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".*scope="notes:read notes:write"/,
    )
    expect((await call('/notes', { as: narrow })).status).toBe(200)
  })

  test.each([
    ['an unknown token', 'Bearer nope', 401],
    ['half of the token', `Bearer ${token.slice(0, -1)}`, 401],
    ['the token and more', `Bearer ${token}x`, 401],
    ['a token in two parts', `Bearer ${token} ${token}`, 401],
    ['no token', 'Bearer', 401],
    ['an empty token', 'Bearer ', 401],
    ['another scheme', `Basic ${btoa(`x:${token}`)}`, 401],
    ['the scheme of old notebook servers', `token ${token}`, 401],
    ['the bare token', token, 401],
    ['an empty header', '', 401],
    ['a quoted token', `Bearer "${token}"`, 401],
    ['very much text', `Bearer ${'a'.repeat(9_000)}`, 401],
    ['a lower-case scheme', `bearer ${token}`, 200],
  ])('%s', async (_what, header, status) => {
    verifies('ALL-AUTH-2')
    const answer = await fetch(`${notes.url}/notes`, { headers: { authorization: header } })
    expect(answer.status).toBe(status)
    if (status === 401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="notes", error="invalid_token"/)
  })

  test.each([['?token=x'], ['?a=1&access_token=x'], ['?Token=x']])(
    'a token in the address (%s) is refused, whatever else is sent',
    async (query) => {
      verifies('ALL-AUTH-3')
      expect((await call(`/notes${query}`)).status).toBe(400)
    },
  )

  test('two tokens are refused', async () => {
    const answer = await sendRaw(
      notes.port,
      rawRequestText('GET /notes', [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`]),
    )
    expect(answer.status).toBe(400)
    expect(answer.headers['www-authenticate']).toMatch(/error="invalid_request"/)
  })

  test('wrong tokens are throttled by address, right ones never', async () => {
    const app = createNotesApp()
    const wrong = () => app.request('/notes', { headers: { authorization: 'Bearer wrong' } })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 62; attempt += 1) statuses.push((await wrong()).status)
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401))
    expect(statuses.slice(61)).toEqual([429])
    const refused = await wrong()
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await app.request('/notes', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  })
})
