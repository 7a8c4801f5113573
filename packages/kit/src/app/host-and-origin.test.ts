import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterAll, describe, expect, test } from 'vitest'
import { serve } from '../serve/serve.ts'
import { createNotesApp, rawRequestText, startNotes, token } from './notes-app.fixture.ts'

const notes = await startNotes()
afterAll(() => notes.close(0))
const { call } = notes

describe('Host and Origin come first', () => {
  test.each([
    ['a foreign host', ['Host: evil.example']],
    ['a host that a URL parser takes for loopback', ['Host: evil.example@localhost']],
    ['an address in another notation', ['Host: 0x7f000001']],
    ['a short address', ['Host: 127.1']],
    ['two hosts', ['Host: localhost', 'Host: evil.example']],
    ['two hosts the other way round', ['Host: evil.example', 'Host: localhost']],
    ['an empty host', ['Host:']],
    ['a host with a path', ['Host: localhost/x']],
  ])('%s is refused even without a token', async (_what, headers) => {
    verifies('ALL-HOST-1', 'ALL-HOST-4', 'ALL-HOST-7')
    const answer = await sendRaw(
      notes.port,
      `GET /notes HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer.status).toBe(421)
    expect(JSON.parse(answer.body)).toEqual({
      oops: expect.stringContaining('--allowed-host'),
      reason: 'host',
    })
  })

  test('no host at all is refused, in HTTP/1.0 too', async () => {
    verifies('ALL-HOST-5')
    expect((await sendRaw(notes.port, 'GET /notes HTTP/1.0\r\n\r\n')).status).toBe(421)
    expect((await sendRaw(notes.port, 'GET /public HTTP/1.0\r\n\r\n')).status).toBe(421)
    expect((await sendRaw(notes.port, 'GET /notes HTTP/1.1\r\n\r\n')).status).toBe(400)
  })

  test.each([['https://evil.example'], ['null'], ['http://localhost.evil.example'], ['']])(
    'the origin %j is refused, public routes included',
    async (origin) => {
      verifies('ALL-ORIGIN-1', 'ALL-ORIGIN-5', 'ALL-ORIGIN-7', 'ALL-CORS-4')
      for (const path of ['/notes', '/public']) {
        const answer = await sendRaw(notes.port, rawRequestText(`GET ${path}`, [`Origin: ${origin}`]))
        expect(answer.status).toBe(403)
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
        expect(JSON.parse(answer.body).reason).toBe('origin')
      }
    },
  )

  test('two origins are refused', async () => {
    expect(
      (
        await sendRaw(
          notes.port,
          rawRequestText('GET /notes', ['Origin: http://localhost', 'Origin: http://localhost']),
        )
      ).status,
    ).toBe(403)
  })

  test('an allowed origin gets its CORS answer, without credentials, on errors and streams too', async () => {
    verifies('ALL-CORS-1', 'ALL-CORS-2', 'ALL-CORS-3', 'ALL-ORIGIN-3')
    const origin = 'http://localhost:5173'
    for (const path of ['/notes', '/raw', '/nothing', '/fail/internal']) {
      const answer = await call(path, { headers: { origin } })
      expect(answer.headers.get('access-control-allow-origin'), path).toBe(origin)
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      const exposed = answer.headers.get('access-control-expose-headers')
      for (const header of ['Retry-After', 'WWW-Authenticate', 'Mcp-Session-Id', 'X-Conversation-Id'])
        expect(exposed).toContain(header)
      expect(answer.headers.get('vary')).toContain('Origin')
    }
    expect((await call('/notes')).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('caches keep the answers to different origins apart, whatever else they vary by', async () => {
    const app = createNotesApp()
    app.get('/varies', (c) => c.text('x', 200, { vary: 'Accept-Encoding' }))
    const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
    const vary = async (path: string, headers = {}) =>
      (
        await fetch(listening.url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })
      ).headers.get('vary')
    expect(await vary('/notes')).toBe('Origin')
    expect(await vary('/notes', { origin: 'http://localhost:5173' })).toBe('Origin')
    expect(await vary('/varies', { origin: 'http://localhost:5173' })).toBe('Accept-Encoding, Origin')
    await listening.close(0)
  })

  test('a preflight needs no token, but an allowed origin', async () => {
    verifies('ALL-AUTH-9')
    const preflight = (origin: string) =>
      fetch(`${notes.url}/notes/7`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    const allowed = await preflight('http://localhost:5173')
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    expect(allowed.headers.get('access-control-allow-methods')).toContain('DELETE')
    expect((await preflight('https://evil.example')).status).toBe(403)
  })
})
