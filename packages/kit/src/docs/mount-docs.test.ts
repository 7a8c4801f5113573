import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { verifies } from '@quire/spec/verifies'
import { launchChromium } from '@quire/testbed/chromium'
import { Hono } from 'hono'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { type DocsOptions, docsPatterns, mountDocs } from './mount-docs.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const Team = z.object({ name: z.string(), size: z.number().int().nullable() }).openapi('Team')
const createTeam = createRoute({
  method: 'post',
  path: '/teams/{id}/as-long-a-path-as-no-phone-has-room-for',
  operationId: 'createTeam',
  summary: 'Create a team',
  tags: ['Teams'],
  request: {
    params: z.object({ id: z.string() }),
    body: { content: { 'application/json': { schema: Team } } },
  },
  responses: { 201: { description: 'Created.', content: { 'application/json': { schema: Team } } } },
})
const health = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'health',
  summary: 'Tell whether the service lives',
  security: [],
  responses: {
    200: {
      description: 'It lives.',
      content: { 'application/json': { schema: z.object({ status: z.string() }) } },
    },
  },
})

function createService(options: Partial<DocsOptions> = {}): OpenAPIHono {
  const app = new OpenAPIHono({ strict: false })
  mountDocs(app, {
    title: 'Teams <of> "agents"',
    version: '1.2.3',
    serverUrl: () => '/outer/teams',
    ...options,
  })
  app.openapi(createTeam, (context) => context.json({ name: 'x', size: null }, 201))
  app.openapi(health, (context) => context.json({ status: 'healthy' }, 200))
  return app
}

describe('/openapi.json', () => {
  test('is OpenAPI 3.1 with the address clients use and the bearer scheme', async () => {
    const response = await createService({
      serverUrl: (context) => `https://${context.req.header('host')}/t`,
    }).request('/openapi.json', { headers: { host: 'public.example' } })
    expect(await response.json()).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Teams <of> "agents"', version: '1.2.3' },
      servers: [{ url: 'https://public.example/t' }],
      security: [{ bearer: [] }],
      paths: { '/health': { get: { operationId: 'health', security: [] } } },
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        schemas: { Team: { properties: { size: { type: ['integer', 'null'] } } } },
      },
    })
  })
})

describe('a page', () => {
  test.each(['/docs', '/redoc'])(
    '%s forbids inline scripts and foreign servers, and escapes its title',
    async (path) => {
      const response = await createService().request(path)
      const html = await response.text()
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'; ")
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(html).toContain('<title>Teams &#60;of&#62; &#34;agents&#34;</title>')
      expect(html).not.toMatch(/<script(?! src=)|https?:/)
    },
  )

  test.each([
    ['/docs', './docs/swagger-init.js?v=', './openapi.json'],
    ['/docs/', '../docs/swagger-init.js?v=', '../openapi.json'],
  ])('%s points to its files relative to itself', async (path, script, document) => {
    const html = await (await createService().request(path)).text()
    expect(html).toContain(`src="${script}`)
    expect(html).toContain(`data-openapi="${document}"`)
  })

  test('deeper paths work as well', async () => {
    const app = createService({ docsPath: '/api/v1/docs', openapiPath: '/api/v1/openapi.json' })
    const html = await (await app.request('/api/v1/docs')).text()
    expect(html).toContain('data-openapi="../../api/v1/openapi.json"')
    expect((await app.request('/api/v1/docs/swagger-init.js')).status).toBe(200)
  })
})

describe('a file', () => {
  test('is kept for ever under its version, asked again without it, and not sent twice', async () => {
    const app = createService()
    const [, address = ''] =
      /src="\.(\/docs\/swagger-ui-bundle[^"]+)"/.exec(await (await app.request('/docs')).text()) ?? []
    const named = await app.request(address)
    expect(named.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(named.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await named.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000)
    const bare = await app.request('/docs/swagger-ui-bundle.js')
    expect(bare.headers.get('cache-control')).toBe('no-cache')
    await bare.body?.cancel()
    const etag = named.headers.get('etag') ?? ''
    const again = await app.request('/docs/swagger-ui-bundle.js', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test('of Redoc asks for no logo', async () => {
    const text = await (await createService().request('/redoc/redoc.standalone.js')).text()
    expect(text).not.toContain('cdn.redoc.ly')
  })

  test.each([
    'package.json',
    '..%2f..%2fpackage.json',
    '%2e%2e',
    'swagger-ui.js',
    '__proto__',
    'constructor',
    '%00',
  ])('%s is not there', async (name) => {
    expect((await createService().request(`/docs/${name}`)).status).toBe(404)
  })
})

test('the pages, their files and the document need no token, what they describe does', async () => {
  verifies('ALL-AUTH-6', 'ALL-AUTH-7')
  const app = createApp({
    errorBody: ({ detail }) => ({ detail }),
    authentication: { realm: 'teams', verify: () => null },
    publicPatterns: docsPatterns(),
  })
  mountDocs(app, { title: 'Teams', version: '1', serverUrl: () => '/' })
  app.openapi(createTeam, (context) => context.json({ name: 'x', size: null }, 201))
  const status = async (path: string, method = 'GET') => (await app.request(path, { method })).status
  for (const path of [
    '/openapi.json',
    '/docs',
    '/docs/',
    '/docs/swagger-ui.css',
    '/redoc',
    '/redoc/redoc-init.js',
  ]) {
    expect(await status(path), path).toBe(200)
  }
  expect(await status('/teams/1/as-long-a-path-as-no-phone-has-room-for', 'POST')).toBe(401)
  expect(await status('/docs/unknown.js')).toBe(404)
  expect(await status('/docs', 'POST')).toBe(401)
})

test('every route that needs no token is named', () => {
  const app = new OpenAPIHono()
  mountDocs(app, { title: 'x', version: '1', serverUrl: () => '/' })
  expect(new Set(app.routes.map(({ path }) => path))).toEqual(new Set(docsPatterns()))
  expect(docsPatterns({ docsPath: '/d' })).toContain('/d/:file')
})

const LIGHT = /^rgb\(2\d\d, 2\d\d, 2\d\d\)$/
const DARK = /^rgb\(\d\d, \d\d, \d\d\)$/

describe('in a browser, under a mount', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  /** Opens a page of the mounted service and keeps what it asked for and complained about. */
  async function open(path: string, { width = 1280, colorScheme = 'light' as 'light' | 'dark' } = {}) {
    const parent = new Hono().mount('/outer/teams', createService().fetch)
    const server = serve({ fetch: parent.fetch, port: 0, hostname: '127.0.0.1' })
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    cleanups.push(async () => {
      await context.close()
      server.close()
      await once(server, 'close')
    })
    const page = await context.newPage()
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${origin}/outer/teams${path}`)
    const foreign = () =>
      requests.filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))
    const shoot = async (name: string) => {
      await mkdir('.artifacts', { recursive: true })
      await page.screenshot({ path: `.artifacts/${name}.png` })
    }
    return { page, complaints, foreign, shoot }
  }

  test.each(['/docs', '/docs/'])(
    'Swagger UI at %s shows the operations and can try one out',
    async (path) => {
      const { page, complaints, foreign, shoot } = await open(path)
      await page.getByText('Create a team').waitFor()
      await page.getByText('Tell whether the service lives').click()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByRole('button', { name: 'Execute' }).click()
      await page.getByText('"status": "healthy"').first().waitFor()
      await shoot(`docs-swagger${path.endsWith('/') ? '-slash' : ''}`)
      expect(await page.locator('.servers select option').allTextContents()).toEqual(['/outer/teams'])
      expect(await page.getByRole('button', { name: 'Authorize' }).count()).toBe(1)
      expect(foreign()).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test.each([
    ['/docs', '.opblock-summary-description', '.opblock-summary-path'],
    ['/redoc', 'h2', 'button:has(.http-verb)'],
  ])('%s is dark where the machine is, and not wider than a phone', async (path, words, address) => {
    const { page, complaints, shoot } = await open(path, { width: 390, colorScheme: 'dark' })
    await page.locator(words).filter({ hasText: 'Create a team' }).waitFor()
    const look = (expression: string) => page.evaluate<string | number>(expression)
    expect(await look(`getComputedStyle(document.querySelector('${words}')).color`)).toMatch(LIGHT)
    expect(await look('getComputedStyle(document.body).backgroundColor')).toMatch(DARK)
    expect(await look('document.documentElement.scrollWidth')).toBe(390)
    const hidden = await look(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${address}'))`,
    )
    expect(hidden).toBe(0)
    await shoot(`docs-dark-${path.slice(1)}`)
    expect(complaints).toEqual([])
  })

  test('Redoc shows the operations and finds them in its worker', async () => {
    verifies('ALL-DOCS-4')
    const { page, complaints, foreign, shoot } = await open('/redoc')
    await page.getByRole('heading', { name: 'Create a team' }).waitFor()
    await page.getByRole('textbox').fill('lives')
    await page.locator('[data-role="search:results"]').getByText('Tell whether the service lives').waitFor()
    await shoot('docs-redoc')
    expect(foreign()).toEqual([])
    expect(complaints).toEqual([])
  })
})
