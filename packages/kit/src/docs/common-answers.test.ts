import { createRoute, z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { needs, open } from '../app/route-table.ts'
import { type DocsOptions, mountDocs } from './mount-docs.ts'

const Oops = z.object({ oops: z.string() }).openapi('Oops')
const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
})
const ok = { 200: json('It is.', z.object({})) }

// biome-ignore lint/suspicious/noExplicitAny: a document, which the tests look into
async function describeWith(options: Partial<DocsOptions> = {}): Promise<any> {
  const app = createApp({ errorBody: ({ detail }) => ({ oops: detail }) })
  mountDocs(app, { title: 'Notes', version: '1', serverUrl: () => '/', ...options })
  const routes = {
    '/said': { ...ok, 401: json('No key', Oops), 421: { description: 'My own words' } },
    '/silent': ok,
    '/public': ok,
  }
  for (const [path, responses] of Object.entries(routes)) {
    const security = path === '/public' ? open : needs('notes:read')
    app.openapi(createRoute({ method: 'get', path, security, responses }), (c) => c.json({}, 200))
  }
  return (await app.request('/openapi.json')).json()
}

const FAILURE = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Oops' } } } }
const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } })
const LIMITS = { ...header('RateLimit'), ...header('RateLimit-Policy') }

test('a route that says nothing of the guards has their answers, in the error body of the service', async () => {
  const { paths } = await describeWith()
  expect(paths['/silent'].get.responses).toEqual({
    200: { ...ok[200], content: expect.anything(), headers: LIMITS },
    401: { description: expect.any(String), ...FAILURE, headers: header('WWW-Authenticate') },
    403: { description: expect.stringContaining('Origin'), ...FAILURE, headers: header('WWW-Authenticate') },
    421: { $ref: '#/components/responses/WrongHost' },
    429: { description: expect.any(String), ...FAILURE, headers: { ...header('Retry-After'), ...LIMITS } },
  })
})

test('its own words stay, and get the headers', async () => {
  const { paths } = await describeWith()
  const { responses } = paths['/said'].get
  expect(responses[401]).toMatchObject({ description: 'No key', headers: header('WWW-Authenticate') })
  expect(responses[421]).toEqual({ description: 'My own words' })
})

test('a public route asks for no token and has no limit', async () => {
  const { paths } = await describeWith()
  expect(Object.keys(paths['/public'].get.responses)).toEqual(['200', '403', '421'])
  expect(paths['/public'].get.responses[200].headers).toBeUndefined()
})

test('all that is referred to is there', async () => {
  const document = await describeWith()
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)
  const seen = [...references].map(([, kind = '', name = '']) => document.components[kind]?.[name])
  expect(seen.length).toBeGreaterThan(10)
  for (const component of seen) expect(component).toMatchObject({})
  expect(document.components.responses.WrongHost).toMatchObject(FAILURE)
})

test.each([
  [
    'after the words of the service',
    { description: 'Notes of all kinds.' },
    /^Notes of all kinds\.\n\nOn every path/,
  ],
  ['alone where it has none', {}, /^On every path.*405 with `Allow`.*421/s],
])('what holds on every path is told once, %s', async (_where, options, expected) => {
  expect((await describeWith(options)).info.description).toMatch(expected)
})

test.each([
  ['with a description', true, 'There is nothing at /. What there is, is described at /docs.'],
  ['without one', false, 'There is nothing at /.'],
])('the root of an app %s', async (_what, hasDocs, oops) => {
  const app = createApp({ errorBody: ({ detail }) => ({ oops: detail }) })
  if (hasDocs) mountDocs(app, { title: 'Notes', version: '1', serverUrl: () => '/' })
  expect(await (await app.request('/')).json()).toEqual({ oops })
})
