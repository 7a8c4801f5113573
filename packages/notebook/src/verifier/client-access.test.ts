import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@quire/kit/config/read-config'
import { createLogger } from '@quire/kit/log'
import { verifies } from '@quire/spec/verifies'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../contract.ts'
import { serveWorkbench, startStandIn } from '../fixtures/stand-in.ts'
import { notebookSettings, toNotebookConfig } from '../settings.ts'
import { createWorkbench } from '../workbench/create-workbench.ts'
import { createClientAccess } from './client-access.ts'

const lines: string[] = []
const logger = createLogger({
  level: 'info',
  pretty: false,
  destination: { write: (line) => void lines.push(line) },
})

let cwd: string
let keyServer: Server
let jwksUrl: string
const ISSUER = 'https://login.example.org'
const PUBLIC = 'http://notebooks.example.org'
const AUDIENCE = `${PUBLIC}/mcp`
const ours = await generateKeyPair('ES256')
const foreign = await generateKeyPair('ES256')

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'quire-access-'))
  writeFileSync(
    join(cwd, 'verifier.mjs'),
    `export default (token) => {
      if (token === 'broken') throw new Error('the database is away')
      if (token === 'short') return { subject: 'ada', scopes: ['notebooks:read'], expiresAt: Date.now() / 1000 + 1 }
      return /^(reader|manager)$/.test(token)
        ? { subject: token, scopes: [token === 'reader' ? 'notebooks:read' : 'server:manage'] }
        : null
    }`,
  )
  const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'ours', alg: 'ES256', use: 'sig' }]
  keyServer = createServer((_request, response) => response.end(JSON.stringify({ keys })))
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
  jwksUrl = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks`
})
afterAll(() => {
  keyServer.close()
  rmSync(cwd, { recursive: true })
})

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const accessFor = (env: Record<string, string>) =>
  createClientAccess(readConfig(notebookSettings, { env }), { logger, cwd })
async function start(env: Record<string, string>) {
  const started = await startStandIn({
    ...(await accessFor(env)),
    guards: { allowedHosts: ['notebooks.example.org'] },
  })
  cleanups.push(started.close)
  return started
}

const call = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {} },
})
/** A call without a session is refused by the endpoint (400), behind the door. */
const post = (url: string, token: string, body: object = call('who')) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(body),
  })
const INSIDE = 400
const stop = async (url: string, token: string) =>
  (await fetch(`${url}/api/stop`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })).status

describe('the shared token', () => {
  const MCP_TOKEN = 'shared-token-0123456789'

  test('opens every door, and no other does', async () => {
    verifies('NB-AUTH-2', 'NB-ENV-10')
    const { url } = await start({ MCP_TOKEN })
    for (const name of ['who', 'run']) expect((await post(url, MCP_TOKEN, call(name))).status).toBe(INSIDE)
    expect(await stop(url, MCP_TOKEN)).toBe(200)
    for (const token of ['reader', `${MCP_TOKEN}x`]) expect((await post(url, token)).status).toBe(401)
  })

  test('is warned of when it can be guessed', async () => {
    lines.length = 0
    await accessFor({ MCP_TOKEN: 'short-canary' })
    expect(lines.join()).toMatch(/can be guessed/)
    expect(lines.join()).not.toContain('canary')
  })
})

describe('a verifier of the operator', () => {
  const env = { NOTEBOOK_MCP_TOKEN_VERIFIER: './verifier.mjs', MCP_TOKEN: 'shared-token-0123456789' }

  test('decides instead of the shared token', async () => {
    verifies('NB-VERIFY-1', 'NB-VERIFY-3', 'NB-VERIFY-6')
    const { url } = await start(env)
    expect((await post(url, 'reader')).status).toBe(INSIDE)
    expect((await post(url, 'stranger')).status).toBe(401)
    expect((await post(url, env.MCP_TOKEN)).status).toBe(401)
    expect(await stop(url, env.MCP_TOKEN)).toBe(401)
  })

  test('gives scopes, which tools and management need', async () => {
    verifies('NB-GUARD-10', 'NB-VERIFY-14')
    const { url } = await start(env)
    const refused = await post(url, 'reader', call('run'))
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".*scope="code:execute"/,
    )
    expect(await refused.json()).toMatchObject({ error: 'insufficient_scope' })
    expect([await stop(url, 'reader'), await stop(url, 'manager')]).toEqual([403, 200])
  })

  test('that cannot tell lets nobody in', async () => {
    const { url } = await start(env)
    const response = await post(url, 'broken')
    expect([response.status, await response.json()]).toMatchObject([503, { error: 'unavailable' }])
  })

  test('ends a stream when its token ends', async () => {
    verifies('NB-VERIFY-5')
    const { url } = await start(env)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const opened = await post(url, 'short', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    await opened.text()
    const headers = {
      authorization: 'Bearer short',
      accept: 'text/event-stream',
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    }
    const stream = await fetch(`${url}/mcp`, { headers })
    expect(stream.status).toBe(200)
    await stream.text()
    expect((await fetch(`${url}/mcp`, { headers })).status).toBe(404)
  })
})

describe('an authorization server', () => {
  const env = () => ({
    MCP_JWKS_URL: jwksUrl,
    MCP_ISSUER: ISSUER,
    MCP_AUDIENCE: AUDIENCE,
    PUBLIC_URL: PUBLIC,
    MCP_TOKEN: 'shared-token-0123456789',
  })
  const token = (scope = 'notebooks:read') =>
    new SignJWT({ scope })
      .setProtectedHeader({ alg: 'ES256', kid: 'ours' })
      .setSubject('ada')
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setExpirationTime('5 min')

  test('vouches for its tokens, and for no others', async () => {
    verifies('NB-VERIFY-6', 'NB-VERIFY-7', 'NB-VERIFY-8', 'NB-VERIFY-9')
    const { url } = await start(env())
    expect((await post(url, await token().sign(ours.privateKey))).status).toBe(INSIDE)
    for (const other of [
      await token().sign(foreign.privateKey),
      await token().setIssuer('https://evil.example').sign(ours.privateKey),
      await token().setAudience('https://other.example/mcp').sign(ours.privateKey),
      await token().setExpirationTime('-1 min').sign(ours.privateKey),
      env().MCP_TOKEN,
    ])
      expect((await post(url, other)).status).toBe(401)
  })

  test('gives scopes, which tools and management need', async () => {
    verifies('NB-VERIFY-14')
    const { url } = await start(env())
    const status = async (scope: string, name: string) =>
      (await post(url, await token(scope).sign(ours.privateKey), call(name))).status
    expect([await status('notebooks:read', 'who'), await status('notebooks:read', 'run')]).toEqual([
      INSIDE,
      403,
    ])
    expect([await status('code:execute', 'run'), await status('', 'who')]).toEqual([INSIDE, 403])
    expect(await stop(url, await token('code:execute').sign(ours.privateKey))).toBe(403)
    expect(await stop(url, await token('server:manage').sign(ours.privateKey))).toBe(200)
  })

  test.each([
    [
      'notebooks:read',
      'NB-VERIFY-11',
      ['list_files', 'list_notebooks', 'list_kernels', 'read_notebook', 'read_cell'],
    ],
    [
      'notebooks:write',
      'NB-VERIFY-12',
      ['insert_cell', 'delete_cell', 'edit_cell_source', 'move_cell', 'delete_file'],
    ],
    ['code:execute', 'NB-VERIFY-13', ['execute_cell', 'execute_code', 'run_cells', 'restart_notebook']],
  ] as const)('needs %s (%s) for %j', async (scope, clause, tools) => {
    verifies(clause, 'NB-VERIFY-14')
    const settings = readConfig(notebookSettings, { env: env() })
    const workbench = createWorkbench(toNotebookConfig(settings, '1'), { logger })
    const { url, close } = await serveWorkbench(
      workbench,
      await createClientAccess(settings, { logger, cwd }),
    )
    cleanups.push(close, workbench.close)
    const others = SCOPES.filter((other) => other !== scope).join(' ')
    const [without, all] = [token(others), token(SCOPES.join(' '))]
    for (const name of tools) {
      const refused = await post(url, await without.sign(ours.privateKey), call(name))
      expect([name, refused.status]).toEqual([name, 403])
      expect(refused.headers.get('www-authenticate')).toMatch(
        new RegExp(`insufficient_scope.*scope="[^"]*${scope}`),
      )
      expect((await post(url, await all.sign(ours.privateKey), call(name))).status).toBe(INSIDE)
    }
  })

  test('is named to everybody who has no token yet', async () => {
    verifies('NB-VERIFY-10', 'NB-VERIFY-15', 'ALL-AUTH-8')
    const { url } = await start(env())
    for (const path of ['', '/mcp']) {
      const response = await fetch(`${url}/.well-known/oauth-protected-resource${path}`)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        resource: AUDIENCE,
        authorization_servers: [ISSUER],
        scopes_supported: ['notebooks:read', 'notebooks:write', 'code:execute', 'server:manage'],
        bearer_methods_supported: ['header'],
      })
    }
    const refused = await fetch(`${url}/mcp`, { method: 'POST' })
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource/mcp"`,
    )
  })

  test.each([
    [{ HOST: '127.0.0.1', PORT: '4040' }, 'http://127.0.0.1:4040/mcp'],
    [{ HOST: '::1', PORT: '4040', TLS_CERT: 'x', TLS_KEY: 'y' }, 'https://[::1]:4040/mcp'],
    [{ PUBLIC_URL: 'https://x.example/tools/' }, 'https://x.example/tools/mcp'],
  ])('with %o the tokens are for %s', async (rest, resource) => {
    const { PUBLIC_URL: _, ...others } = env()
    expect(await accessFor({ ...others, ...rest })).toMatchObject({ protectedResource: { resource } })
  })
})

describe('what is refused before anything starts', () => {
  const MCP_JWKS_URL = 'https://login.example.org/jwks'
  const jwks = { MCP_JWKS_URL, MCP_ISSUER: ISSUER, MCP_AUDIENCE: AUDIENCE }
  test.each<[Record<string, string>, RegExp]>([
    [{}, /requires MCP client authentication/],
    [{ MCP_TOKEN: 'none' }, /requires MCP client authentication/],
    [{ MCP_JWKS_URL }, /all three or none/],
    [{ MCP_ISSUER: ISSUER, MCP_AUDIENCE: AUDIENCE }, /all three or none/],
    [{ ...jwks, MCP_TOKEN_VERIFIER: './verifier.mjs' }, /give only one of the two/],
    [{ ...jwks, MCP_JWKS_URL: 'http://login.example.org/jwks' }, /--mcp-jwks-url .*must be https/],
    [{ ...jwks, PORT: '0' }, /--public-url .*is needed/],
    [{ ...jwks, HOST: '0.0.0.0' }, /--public-url .*is needed/],
    [{ MCP_TOKEN: 'shared-token-0123456789', MCP_TOKEN_VERIFIER: './missing.mjs' }, /--mcp-token-verifier/],
  ])('%o', async (env, expected) => {
    const failure = await accessFor(env).catch((error: unknown) => error)
    expect(String(failure)).toMatch(expected)
    expect(failure).toMatchObject({ name: 'ConfigError', faults: [expect.anything()] })
  })

  test('with --insecure-mcp-noauth nobody is asked, whatever else is set', async () => {
    verifies('NB-AUTH-6')
    expect(await accessFor({ INSECURE_MCP_NOAUTH: '1' })).toEqual({})
    expect(await accessFor({ INSECURE_MCP_NOAUTH: '1', MCP_TOKEN: 'x' })).toEqual({})
  })
})
