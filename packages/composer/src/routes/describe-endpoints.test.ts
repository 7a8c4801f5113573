import { createApp } from '@quire/kit/app/create-app'
import { mountMetrics } from '@quire/kit/app/mount-metrics'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { docsPatterns, mountDocs } from '@quire/kit/docs/mount-docs'
import { createMetrics } from '@quire/kit/metrics'
import { serve } from '@quire/kit/serve/serve'
import { afterAll, expect, test } from 'vitest'
import type { HttpFront } from '../front/front-options.ts'
import { mountFront } from '../front/mount-front.ts'
import { describeEndpoints } from './describe-endpoints.ts'
import { composerErrorBody } from './error-body.ts'

const TOKEN = 'full-access-0123456789abcdef'
const NARROW = 'narrow-access-0123456789abcd'
const ALL = { metrics: '/numbers', mcp: '/mcp', sse: { stream: '/old/sse', messages: '/old/messages' } }
const OPERATIONS = [
  ['GET', '/numbers'],
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['DELETE', '/mcp'],
  ['GET', '/old/sse'],
  ['POST', '/old/messages'],
] as const

const listening = await start(ALL)
afterAll(() => listening.close(0))

async function start(endpoints: Parameters<typeof describeEndpoints>[1]) {
  const app = createApp({
    errorBody: composerErrorBody,
    publicPatterns: docsPatterns(),
    authentication: {
      realm: 'composer',
      verify: createKeyRing([
        { hash: hashToken(TOKEN), subject: 'ada', scopes: ['logs:read'] },
        { hash: hashToken(NARROW), subject: 'bob', scopes: [] },
      ]).verify,
    },
  })
  const front: HttpFront = {
    fetch: async () => new Response('the front'),
    sessionCount: () => 0,
    close: async () => undefined,
  }
  mountDocs(app, { title: 'composer', version: '1', serverUrl: () => '/' })
  mountMetrics(app, createMetrics({ service: 'composer' }), '/numbers')
  for (const path of ['/mcp', '/old/sse', '/old/messages']) mountFront(app, path, front)
  describeEndpoints(app, endpoints)
  return serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
}

async function pathsAt(url: string): Promise<Record<string, Record<string, { responses: object }>>> {
  return JSON.parse(await (await fetch(`${url}/openapi.json`)).text()).paths
}

test.each(OPERATIONS)('%s %s is described, and answers as it did', async (method, path) => {
  const described = (await pathsAt(listening.url))[path]?.[method.toLowerCase()]
  const statuses = Object.keys(described?.responses ?? {})
  expect(statuses).toEqual(
    expect.arrayContaining(['200', '401', '403', '429'].slice(path === '/old/messages' ? 1 : 0)),
  )
  const url = `${listening.url}${path}`
  expect((await fetch(url, { method })).status).toBe(401)
  const headers = { authorization: `Bearer ${TOKEN}` }
  expect((await fetch(`${url}?sessionId=1`, { method, headers })).status).toBe(200)
  if (method !== 'POST') return
  expect(statuses).toEqual(expect.arrayContaining(['413', '415', '404', '202']))
  expect((await fetch(url, { method, headers, body: 'text' })).status).toBe(415)
})

test('the counts, whose labels name every tool, are for those who may read logs', async () => {
  const headers = { authorization: `Bearer ${NARROW}` }
  expect((await fetch(`${listening.url}/numbers`, { headers })).status).toBe(403)
})

test('what is not served is not described', async () => {
  const bare = await start({})
  try {
    expect(await pathsAt(bare.url)).toEqual({})
  } finally {
    await bare.close(0)
  }
})
