import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { describe, expect, test } from 'vitest'
import { createRateLimiter } from '../rate-limit/limiter.ts'
import { parseRateLimits } from '../rate-limit/rate-limits.ts'
import { serve } from '../serve/serve.ts'
import { createApp, type ServiceApp } from './create-app.ts'
import { createNotesApp, narrow, token } from './notes-app.fixture.ts'

describe('the order of the guards', () => {
  const everythingWrong = {
    path: '//notes',
    host: 'evil.example',
    origin: 'https://evil.example',
    token: 'wrong',
    type: 'text/plain',
    body: '['.repeat(100),
  }
  const right = {
    path: '/notes/7',
    host: 'localhost',
    origin: 'http://localhost',
    token,
    type: 'application/json',
    body: '{"text":"x"}',
  }
  const limited = () =>
    createNotesApp({ rateLimiter: createRateLimiter({ limits: parseRateLimits('default=1/h') }) })

  /** Everything is wrong but what is put right; the rate limit is used up before. */
  const refusal = async (app: ServiceApp, mended: readonly (keyof typeof right)[]) => {
    const sent = { ...everythingWrong, ...Object.fromEntries(mended.map((name) => [name, right[name]])) }
    const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
    const head = [
      `POST ${sent.path} HTTP/1.1`,
      `Host: ${sent.host}`,
      `Origin: ${sent.origin}`,
      `Authorization: Bearer ${sent.token}`,
    ]
    const rest = [
      `Content-Type: ${sent.type}`,
      `Content-Length: ${sent.body.length}`,
      'Connection: close',
      '',
      sent.body,
    ]
    const answer = await sendRaw(listening.port, [...head, ...rest].join('\r\n'))
    await listening.close(0)
    return {
      reason: answer.status === 201 ? 'none' : String(JSON.parse(answer.body).reason),
      headers: answer.headers,
    }
  }

  test('path shape, Host, Origin, token, rate limit, content type, body', async () => {
    verifies('ALL-ORDER-1', 'ALL-ORDER-2', 'ALL-ORDER-3', 'ALL-ORDER-4', 'ALL-ORDER-5', 'ALL-ORDER-6')
    const app = limited()
    expect((await refusal(app, Object.keys(right) as (keyof typeof right)[])).reason).toBe('none')
    expect((await refusal(app, [])).reason).toBe('path_shape')
    expect((await refusal(app, ['path'])).reason).toBe('host')
    expect((await refusal(app, ['path', 'host'])).reason).toBe('origin')
    expect((await refusal(app, ['path', 'host', 'origin'])).reason).toBe('token_invalid')
    expect((await refusal(app, ['path', 'host', 'origin', 'token'])).reason).toBe('rate_limit')
    const fresh = () => createNotesApp()
    expect((await refusal(fresh(), ['path', 'host', 'origin', 'token'])).reason).toBe('content_type')
    expect((await refusal(fresh(), ['path', 'host', 'origin', 'token', 'type'])).reason).toBe('body_shape')
  })

  test('a request over the limit is told when to come back', async () => {
    verifies('ALL-RATE-1', 'ALL-RATE-2', 'ALL-RATE-3')
    const app = limited()
    const ask = () => app.request('/notes', { headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=1;w=3600')
    expect((await app.request('/public')).status, 'public routes are not limited').toBe(200)
    const other = await app.request('/notes', { headers: { authorization: `Bearer ${narrow}` } })
    expect(other.status, 'nor is another caller').toBe(200)
  })

  test('a body has 1 MiB unless a service or a route says otherwise', async () => {
    verifies('ALL-BODY-2')
    const app = createApp({ errorBody: ({ detail }) => ({ detail }) })
    app.post('/', async (c) => c.text(String((await c.req.text()).length)))
    const send = (bytes: number) =>
      app.request('/', {
        method: 'POST',
        body: `"${'x'.repeat(bytes - 2)}"`,
        headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
      })
    expect((await send(1024 * 1024)).status).toBe(200)
    expect((await send(1024 * 1024 + 1)).status).toBe(413)
  })
})
