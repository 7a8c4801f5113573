import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { describe, expect, test } from 'vitest'
import { createKeyRing } from '../auth/key-ring.ts'
import { hashToken } from '../auth/token.ts'
import { createApp, type ServiceApp } from './create-app.ts'
import { needs, open } from './route-table.ts'
import type { ServiceEnv } from './service-env.ts'

const ring = createKeyRing([
  { hash: hashToken('reader-token'), subject: 'reader', scopes: ['read'] },
  { hash: hashToken('admin-token'), subject: 'admin' },
])
const create = (publicPatterns: string[] = []) =>
  createApp({
    errorBody: ({ detail }) => ({ detail }),
    authentication: { realm: 'test', verify: ring.verify },
    publicPatterns,
  })

const responses = { 200: { description: 'text' } }
const get = (path: string, security: Record<string, string[]>[], method: 'get' | 'delete' = 'get') =>
  createRoute({ method, path, security, responses })

const statuses = async (app: ServiceApp, path: string, method = 'GET') => {
  const as = async (token?: string) =>
    (await app.request(path, { method, ...(token && { headers: { authorization: `Bearer ${token}` } }) }))
      .status
  return { nobody: await as(), reader: await as('reader-token'), admin: await as('admin-token') }
}

describe('where several routes match one request, the strictest counts', () => {
  test('a public catch-all opens nothing in front of it', async () => {
    const app = create(['/*'])
    app.openapi(get('/secrets', needs('admin')), (c) => c.text('secret'))
    app.get('/*', (c) => c.text('page'))
    expect(await statuses(app, '/secrets')).toEqual({ nobody: 401, reader: 403, admin: 200 })
    expect(await statuses(app, '/page')).toEqual({ nobody: 200, reader: 200, admin: 200 })
  })

  test('a public neighbour does not open the pattern that answers for it', async () => {
    const app = create()
    app.openapi(get('/teams/{id}', needs('admin')), (c) => c.text('team'))
    app.openapi(get('/teams/health', open), (c) => c.text('health'))
    expect(await statuses(app, '/teams/health')).toEqual({ nobody: 401, reader: 403, admin: 200 })
  })

  test('scopes add up', async () => {
    const app = create()
    app.openapi(get('/x/{id}', needs('admin'), 'delete'), (c) => c.text('gone'))
    app.openapi(get('/x/mine', needs('read'), 'delete'), (c) => c.text('mine'))
    expect(await statuses(app, '/x/mine', 'DELETE')).toEqual({ nobody: 401, reader: 403, admin: 200 })
  })
})

describe('what would lose its scopes is refused', () => {
  test('a path declared twice', async () => {
    const app = create()
    app.openapi(get('/x', needs('admin')), (c) => c.text('first'))
    app.openapi(get('/x', needs('read')), (c) => c.text('second'))
    expect(await statuses(app, '/x')).toEqual({ nobody: 500, reader: 500, admin: 500 })
  })

  test('a declaration that answers somewhere else', async () => {
    const app = create()
    app.openapi(get('noslash', needs('admin')), (c) => c.text('x'))
    expect(await statuses(app, '/noslash')).toEqual({ nobody: 500, reader: 500, admin: 500 })
  })

  test('a hidden declaration with scopes', () => {
    const app = create()
    const hidden = createRoute({ method: 'get', path: '/x', security: needs('admin'), responses, hide: true })
    expect(() => app.openapi(hidden, (c) => c.text('x'))).toThrow(/hidden/)
  })
})

test('resources in apps of their own keep their scopes', async () => {
  const app = create()
  const resource = new OpenAPIHono<ServiceEnv>()
  resource.openapi(get('/{id}', needs('admin')), (c) => c.text('x'))
  resource.onError((error) => {
    throw error
  })
  app.route('/things', resource)
  expect(await statuses(app, '/things/1')).toEqual({ nobody: 401, reader: 403, admin: 200 })
})

test('handlers for all methods are routes like any other', async () => {
  const app = create(['/open'])
  app.all('/open', (c) => c.text('open'))
  app.all('/closed', async (c, _next) => c.text('closed'))
  expect(await statuses(app, '/open', 'PUT')).toEqual({ nobody: 200, reader: 200, admin: 200 })
  expect(await statuses(app, '/closed', 'PUT')).toEqual({ nobody: 401, reader: 200, admin: 200 })
})
