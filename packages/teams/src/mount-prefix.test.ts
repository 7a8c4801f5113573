import { serve } from '@quire/kit/serve/serve'
import { verifies } from '@quire/spec/verifies'
import { launchChromium } from '@quire/testbed/chromium'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTeams, type TeamsOptions } from './create-teams.ts'
import { readEvents } from './routes/event-reader.fixture.ts'

const TEAM = { name: 'x', execution_mode: 'parallel', members: [{ name: 'a' }] }

/** Inside another application, on a real port. Returns where it is. */
async function mount(prefix: string, options: TeamsOptions = {}): Promise<string> {
  const service = await createTeams(options)
  onTestFinished(service.close)
  const parent = new Hono().get('/', (c) => c.text('the parent'))
  if (prefix !== '') parent.mount(prefix, service.app.fetch)
  const fetch = prefix === '' ? service.app.fetch : parent.fetch
  const listening = await serve({
    fetch: (request, env) => fetch(request, env ?? {}),
    host: '127.0.0.1',
    port: 0,
  })
  onTestFinished(() => listening.close(0))
  return `${listening.url}${prefix}`
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
const getJson = async (url: string): Promise<any> => (await fetch(url)).json()
const serverOf = async (url: string) => (await getJson(`${url}/openapi.json`)).servers[0].url

describe('under a prefix', () => {
  test.each(['/api/agent-teams/v1', '/t', '/a/b/c/d'])('%s all of it works', async (prefix) => {
    verifies('TM-SVC-1', 'TM-SVC-6', 'TM-SVC-8', 'TM-SVC-9', 'TM-SVC-10')
    const url = await mount(prefix)
    const response = await fetch(`${url}/teams`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(TEAM),
    })
    expect(response.status).toBe(201)
    const [{ team_id }] = await getJson(`${url}/teams/`)
    const stream = await readEvents(`${url}/teams/${team_id}/events`)
    expect(await stream.has(1)).toMatchObject([{ event: 'team_created' }])
    stream.leave()
    expect(await serverOf(url)).toBe(prefix)
    for (const page of ['/docs', '/redoc']) expect((await fetch(`${url}${page}`)).status).toBe(200)
    expect(await getJson(`${url}/nothing`)).toEqual({ detail: expect.stringContaining('nothing') })
  })
})

test('without one, addresses are relative to the description', async () => {
  verifies('TM-SVC-2')
  const url = await mount('')
  const server = await serverOf(url)
  expect(new URL(`${server}health`, `${url}/openapi.json`).href).toBe(`${url}/health`)
})

test('a public address goes before all', async () => {
  expect(await serverOf(await mount('/t', { publicUrl: 'https://example.org/teams' }))).toBe(
    'https://example.org/teams',
  )
})

describe('the page', () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  test.each(['/outer/teams', ''])('under %j calls operations where they are', async (prefix) => {
    verifies('TM-SVC-8')
    const url = await mount(prefix)
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${url}/docs`)
    await page.getByText('Whether the service is alive').click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.getByText('"status": "healthy"').first().waitFor()
    expect(asked).toContain(`${url}/health`)
  })
})
