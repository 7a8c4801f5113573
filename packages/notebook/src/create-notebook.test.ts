import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Authentication } from '@quire/kit/auth/bearer'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { verifies } from '@quire/spec/verifies'
import { sendRaw } from '@quire/testbed/raw-http'
import { afterEach, describe, expect, test } from 'vitest'
import { startStandIn } from './fixtures/stand-in.ts'

const TOKEN = 'shared-token-0123456789'
const READER = 'reader-token-0123456789'
const { verify } = createKeyRing([
  { hash: hashToken(TOKEN), subject: 'mcp-client' },
  { hash: hashToken(READER), subject: 'reader', scopes: ['notebooks:read'] },
])
const authentication: Authentication = { realm: 'notebook-tools', verify }

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
async function start(...options: Parameters<typeof startStandIn>) {
  const started = await startStandIn(...options)
  cleanups.push(started.close)
  return started
}

async function connect(url: string, mode: 'auto' | 'legacy', token?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  cleanups.push(() => client.close())
  return client
}
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
const bearer = { authorization: `Bearer ${TOKEN}` }

describe.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('at /mcp, a client in mode %s', (mode, version) => {
  test('lists and calls the tools with its token', async () => {
    verifies('NB-MCP-1', mode === 'legacy' ? 'NB-MCP-2' : 'NB-MCP-3', 'NB-MODE-1')
    const { url } = await start({ authentication })
    const client = await connect(url, mode, TOKEN)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['who', 'run'])
    const who = await client.callTool({ name: 'who', arguments: {} })
    expect(who.content).toEqual([{ type: 'text', text: 'mcp-client' }])
  })

  test('needs none where nobody is asked for one', async () => {
    verifies('NB-AUTH-7')
    const { url, running } = await start()
    running.letGo.resolve()
    const client = await connect(url, mode)
    expect((await client.callTool({ name: 'run', arguments: {} })).content).toEqual([
      { type: 'text', text: 'ran' },
    ])
  })

  test('is refused what its scopes do not cover', async () => {
    verifies('NB-VERIFY-14')
    const { url } = await start({ authentication })
    const client = await connect(url, mode, READER)
    expect((await client.callTool({ name: 'who', arguments: {} })).content).toMatchObject([
      { text: 'reader' },
    ])
    await expect(client.callTool({ name: 'run', arguments: {} })).rejects.toBeInstanceOf(
      InsufficientScopeError,
    )
  })
})

describe('the door of /mcp', () => {
  test.each(['GET', 'POST', 'DELETE', 'PUT'])('%s without the token is 401', async (method) => {
    verifies('NB-AUTH-1')
    const { url } = await start({ authentication })
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${TOKEN}` }]) {
      const response = await fetch(`${url}/mcp`, { method, headers })
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({ error: 'invalid_token', error_description: expect.any(String) })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="notebook-tools"/)
      expect(response.headers.get('www-authenticate')).not.toContain('resource_metadata')
    }
  })

  test('comes after Host and Origin, which may be widened', async () => {
    const { port } = await start({
      authentication,
      guards: { allowedHosts: ['notebooks.example.org'], allowedOrigins: ['https://app.example.org'] },
    })
    const status = async (host: string, ...headers: string[]) =>
      (
        await sendRaw(
          port,
          `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`,
        )
      ).status
    expect(await status('evil.example', `Authorization: Bearer ${TOKEN}`)).toBe(421)
    expect(await status('localhost', 'Origin: https://evil.example')).toBe(403)
    expect(await status('notebooks.example.org', 'Origin: https://app.example.org')).toBe(401)
  })

  test.each([
    ['no params', undefined],
    ['empty params', {}],
    ['params of the wrong shape', { protocolVersion: 7, capabilities: [], clientInfo: 'x' }],
    ['a list', []],
  ])('initialize with %s is answered as JSON-RPC answers', async (_what, params) => {
    verifies('NB-MCP-4')
    const { url } = await start({ authentication })
    const response = await post(`${url}/mcp`, { jsonrpc: '2.0', id: 7, method: 'initialize', params }, bearer)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32602 } })
  })
})

describe('beside the tools', () => {
  test('numbers for Prometheus, for whoever has a token', async () => {
    verifies('NB-METRICS-1')
    const { url } = await start({ authentication })
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    const response = await fetch(`${url}/metrics`, { headers: bearer })
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/)
    expect(await response.text()).toMatch(/http_requests_in_flight\{service="notebook"\} 1/)
  })

  test('its description, for everybody', async () => {
    const { url } = await start({ authentication })
    for (const path of ['/docs', '/redoc']) expect((await fetch(url + path)).status).toBe(200)
    const schema = { required: ['code_sandbox_url'], properties: { document_password: expect.anything() } }
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({
      info: { version: '1.2.3' },
      paths: {
        '/api/healthz': { get: { security: [] } },
        '/api/connect': { put: { requestBody: { content: { 'application/json': { schema } } } } },
        '/api/stop': { delete: { security: [{ bearer: ['server:manage'] }] } },
      },
    })
  })

  test('errors of one kind', async () => {
    const { url } = await start()
    const response = await fetch(`${url}/nothing`)
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'not_found', error_description: expect.any(String) },
    ])
  })

  test('no metadata of an authorization server where there is none', async () => {
    const { url } = await start({ authentication })
    const response = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`, { headers: bearer })
    expect(response.status).toBe(404)
  })
})

describe('when it stops', () => {
  test.each(['auto', 'legacy'] as const)(
    'a call under way has its answer first, in mode %s',
    async (mode) => {
      const { url, running, shutDown } = await start({ authentication })
      const client = await connect(url, mode, TOKEN)
      const idle = await connect(url, 'auto', TOKEN)
      await idle.listen({ toolsListChanged: true })
      const call = client.callTool({ name: 'run', arguments: {} })
      await expect.poll(() => running.count).toBe(1)
      const stopped = shutDown()
      await expect(fetch(`${url}/api/healthz`)).rejects.toThrow()
      running.letGo.resolve()
      expect((await call).content).toEqual([{ type: 'text', text: 'ran' }])
      await stopped
    },
  )
})

test('without management there are no such routes', async () => {
  const { url } = await start({ authentication }, { management: false })
  for (const [method, path] of [
    ['GET', '/api/healthz'],
    ['PUT', '/api/connect'],
    ['DELETE', '/api/stop'],
  ] as const)
    expect((await fetch(url + path, { method, headers: bearer })).status).toBe(404)
})
