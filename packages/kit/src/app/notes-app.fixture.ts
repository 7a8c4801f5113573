import { createRoute, z } from '@hono/zod-openapi'
import { createKeyRing } from '../auth/key-ring.ts'
import { hashToken } from '../auth/token.ts'
import { CallerError } from '../errors.ts'
import { type Listening, serve } from '../serve/serve.ts'
import { type AppOptions, createApp, type ServiceApp } from './create-app.ts'
import { needs, open } from './route-table.ts'

/** Has all scopes. */
export const token = 'full-access-0123456789abcdef'
/** Has `notes:read` alone. */
export const narrow = 'narrow-access-0123456789abcd'

/** A small service with one route of each kind, and an error body that shows the reason. */
export function createNotesApp(options: Partial<AppOptions> = {}): ServiceApp {
  const ring = createKeyRing([
    { hash: hashToken(token), subject: 'full' },
    { hash: hashToken(narrow), subject: 'narrow', scopes: ['notes:read'] },
  ])
  const app = createApp({
    errorBody: ({ detail, reason, errors }) => ({ oops: detail, reason, ...(errors && { errors }) }),
    guards: {},
    authentication: { realm: 'notes', verify: ring.verify },
    maxBodyBytes: 1_000,
    publicPatterns: ['/shell/*'],
    ...options,
  })
  const text = { content: { 'text/plain': { schema: z.string() } }, description: 'text' }
  app.openapi(
    createRoute({ method: 'get', path: '/notes', security: needs('notes:read'), responses: { 200: text } }),
    (c) => c.text('notes'),
  )
  app.openapi(
    createRoute({ method: 'get', path: '/public', security: open, responses: { 200: text } }),
    (c) => c.text('public'),
  )
  const Note = z.strictObject({ text: z.string() })
  app.openapi(
    createRoute({
      method: 'post',
      path: '/notes/{id}',
      security: needs('notes:read', 'notes:write'),
      request: {
        params: z.object({ id: z.string() }),
        body: { required: true, content: { 'application/json': { schema: Note } } },
      },
      responses: { 201: { description: 'the note' } },
    }),
    (c) =>
      c.json({ id: c.req.valid('param').id, ...c.req.valid('json'), by: c.get('principal').subject }, 201),
  )
  app.post('/touch', (c) => c.body(null, 204))
  app.get(
    '/raw',
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('x'))
            controller.close()
          },
        }),
      ),
  )
  app.get('/shell/*', (c) => c.text('shell'))
  app.get('/fail/internal', () => {
    throw new Error('the password is hunter2')
  })
  app.get('/fail/caller', () => {
    throw new CallerError('unavailable', 'The kitchen is closed.', { headers: { 'retry-after': '7' } })
  })
  app.get('/fail/odd', () => Promise.reject(new Proxy({}, {})))
  return app
}

/** A request to send as it is, for what no HTTP client would. */
export function rawRequestText(line: string, headers: readonly string[]): string {
  return `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`
}

export interface RunningNotes extends Listening {
  /** As the full token, as another one, or as nobody. */
  call(path: string, init?: RequestInit & { as?: string | null }): Promise<Response>
}

export async function startNotes(): Promise<RunningNotes> {
  const listening = await serve({ fetch: createNotesApp().fetch, host: '127.0.0.1', port: 0 })
  return {
    ...listening,
    call(path, { as = token, ...init } = {}) {
      const headers = new Headers(init.headers)
      if (as !== null) headers.set('authorization', `Bearer ${as}`)
      return fetch(listening.url + path, { ...init, headers })
    },
  }
}

export function post(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
