import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRoute } from '@hono/zod-openapi'
import { createApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { ConfigError } from '@quire/kit/config/config-error'
import { verifies } from '@quire/spec/verifies'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  ApiKeySettings,
  AuthenticationSettings,
  AuthorizationSettings,
  JwtSettings,
} from '../config/config.ts'
import { createComposerAuthentication } from './composer-authentication.ts'
import { rolesOf } from './composer-principal.ts'

const ISSUER = 'https://login.example.org'
const AUDIENCE = 'https://tools.example.org/mcp'
const ours = await generateKeyPair('ES256')
const foreign = await generateKeyPair('ES256')
let keyServer: Server
let jwt: JwtSettings

beforeAll(async () => {
  const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'ours', alg: 'ES256', use: 'sig' }]
  keyServer = createServer((_request, response) => response.end(JSON.stringify({ keys })))
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
  const { port } = keyServer.address() as AddressInfo
  jwt = { jwksUrl: `http://127.0.0.1:${port}/jwks`, issuer: ISSUER, audience: AUDIENCE, rolesClaim: 'roles' }
})
afterAll(() => keyServer.close())

const ADMIN = { key: 'admin-key-0123456789', subject: 'root', scopes: undefined, roles: [] }
const READER = { key: 'reader-key-0123456789', subject: 'ada', scopes: ['tools:list'], roles: ['caller'] }
const settings = (more: Partial<AuthenticationSettings> = {}): AuthenticationSettings => ({
  enabled: true,
  apiKeys: [ADMIN, READER],
  jwt: undefined,
  ...more,
})
const authorization: AuthorizationSettings = {
  enabled: true,
  roles: [
    { name: 'caller', tools: ['*'], scopes: ['tools:invoke'] },
    { name: 'watcher', tools: [], scopes: ['logs:read'] },
    { name: 'toolbox', tools: ['a:*'], scopes: [] },
  ],
  rateLimit: undefined,
}
const off: AuthorizationSettings = { ...authorization, enabled: false }

async function open(authentication = settings(), roles = authorization) {
  const made = await createComposerAuthentication(authentication, { authorization: roles })
  if (!made) throw new Error('authentication is off')
  return made
}

const sign = (claims: Record<string, unknown>, key = ours.privateKey) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'ours' })
    .setSubject('eve')
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('5 min')
    .sign(key)

test('is on when it is enabled, and only then', async () => {
  verifies('CO-AUTH-4')
  const answers = await Promise.all(
    [settings({ enabled: false }), settings()].map(async (authentication) => {
      const made = await createComposerAuthentication(authentication, { authorization: off })
      const app = createApp({
        errorBody: ({ detail }) => ({ detail }),
        ...(made && { authentication: made }),
      })
      app.openapi(
        createRoute({
          method: 'get',
          path: '/x',
          security: needs('tools:list'),
          responses: { 200: { description: '' } },
        }),
        (c) => c.text(c.get('principal').subject),
      )
      const call = async (token?: string) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
        const answer = await app.request('/x', { headers })
        return answer.status === 200 ? answer.text() : answer.status
      }
      return Promise.all([call(), call('wrong'), call(ADMIN.key), call(READER.key)])
    }),
  )
  expect(answers).toEqual([
    ['anonymous', 'anonymous', 'anonymous', 'anonymous'],
    [401, 401, 'root', 'ada'],
  ])
})

describe('keys', () => {
  test('lead to their subject, roles, and the scopes of both', async () => {
    const { verify } = await open()
    expect(await verify(READER.key)).toMatchObject({
      subject: 'ada',
      roles: ['caller'],
      scopes: new Set(['tools:list', 'tools:invoke']),
    })
    expect(await verify(READER.key)).toBe(await verify(READER.key))
  })

  test.each([
    ['no scopes and no roles', undefined, [], []],
    ['no scopes, and a role without any', undefined, ['toolbox'], []],
    ['no scopes, and a role that is not known', undefined, ['ghost'], []],
    ['no scopes, and a role with one', undefined, ['watcher'], ['logs:read']],
    ['no scopes, and two roles', undefined, ['watcher', 'caller'], ['logs:read', 'tools:invoke']],
    ['an empty list, and a role without any', [], ['toolbox'], []],
    ['an empty list, and a role with one', [], ['watcher'], ['logs:read']],
    ['scopes alone', ['config:read'], [], ['config:read']],
  ])('a key with %s', async (_what, scopes, roles, expected) => {
    const { verify } = await open(settings({ apiKeys: [{ ...ADMIN, scopes, roles }] }))
    const principal = await verify(ADMIN.key)
    expect(principal?.scopes && [...principal.scopes]).toEqual(expected)
    expect(rolesOf(principal ?? undefined)).toEqual(roles.length > 0 ? roles : ['default'])
  })

  test('with authorization off the scopes of roles are nobody’s', async () => {
    const { verify } = await open(settings(), off)
    expect((await verify(READER.key))?.scopes).toEqual(new Set(['tools:list']))
  })

  test('who has no role has the scopes of the default one', async () => {
    const roles = [{ name: 'default', tools: [], scopes: ['tools:list'] }]
    const { verify } = await open(settings(), { ...authorization, roles })
    expect((await verify(ADMIN.key))?.scopes).toEqual(new Set(['tools:list']))
  })

  test.each([
    [''],
    [ADMIN.key.slice(1)],
    [`${ADMIN.key} `],
    [ADMIN.key.toUpperCase()],
    ['__proto__'],
    ['a.b.c'],
  ])('%j is none', async (token) => {
    expect(await (await open()).verify(token)).toBeNull()
  })

  test('a new configuration changes keys and roles at once, and ends what the old ones opened', async () => {
    const access = await open()
    const [admin, reader] = [await access.verify(ADMIN.key), await access.verify(READER.key)]
    await access.configure(settings({ apiKeys: [{ ...READER, roles: ['watcher'] }] }), authorization)
    expect(admin?.revoked?.aborted).toBe(true)
    expect(reader?.revoked?.aborted).toBe(true)
    expect(await access.verify(ADMIN.key)).toBeNull()
    expect(await access.verify(READER.key)).toMatchObject({
      roles: ['watcher'],
      scopes: new Set(['tools:list', 'logs:read']),
    })
  })

  const toolless = authorization.roles.map((role) => ({ ...role, tools: [] }))
  const withScopes = (name: string, scopes: string[]) => ({
    ...authorization,
    roles: authorization.roles.map((role) => (role.name === name ? { ...role, scopes } : role)),
  })

  test.each<[string, Partial<ApiKeySettings>, AuthorizationSettings]>([
    ['another role of the same scopes', { roles: ['caller', 'toolbox'] }, authorization],
    ['no role', { roles: [] }, authorization],
    ['a scope less', { scopes: [] }, authorization],
    ['a scope more', { scopes: ['tools:list', 'logs:read'] }, authorization],
    ['another subject', { subject: 'eve' }, authorization],
    ['a role with fewer scopes', {}, withScopes('caller', [])],
    ['a role with more scopes', {}, withScopes('caller', ['tools:invoke', 'logs:read'])],
    ['roles that count no more', {}, off],
  ])('a key with %s is another one: what it opened ends', async (_what, more, roles) => {
    const access = await open()
    const before = await access.verify(READER.key)
    await access.configure(settings({ apiKeys: [ADMIN, { ...READER, ...more }] }), roles)
    expect(before?.revoked?.aborted).toBe(true)
    const after = await access.verify(READER.key)
    expect(after?.revoked?.aborted).toBe(false)
    expect(after).not.toEqual({ ...before, revoked: after?.revoked })
  })

  test.each<[string, Partial<ApiKeySettings>, AuthorizationSettings]>([
    ['nothing', {}, authorization],
    ['the order of roles', { roles: ['watcher', 'caller'] }, authorization],
    ['a scope that a role gives as well', { scopes: ['tools:list', 'logs:read'] }, authorization],
    ['the scopes of a role that it has not', {}, withScopes('toolbox', ['config:read'])],
    ['the tools of a role', {}, { ...authorization, roles: toolless }],
  ])('a key of which %s has changed stays what it is', async (_what, more, roles) => {
    const key = { ...READER, roles: ['caller', 'watcher'] }
    const access = await open(settings({ apiKeys: [key] }))
    const before = await access.verify(READER.key)
    await access.configure(settings({ apiKeys: [{ ...key, ...more }, ADMIN] }), roles)
    expect(before?.revoked?.aborted).toBe(false)
    expect(await access.verify(READER.key)).toBe(before)
  })

  test.each<[string, Partial<AuthenticationSettings>]>([
    ['turns it off', { enabled: false }],
    ['has no key left', { apiKeys: [] }],
    [
      'has a key server of another kind',
      { jwt: { jwksUrl: 'http://keys.example/jwks', issuer: 'i', audience: 'a', rolesClaim: 'r' } },
    ],
  ])('a configuration that %s is refused, and nothing changes', async (_what, more) => {
    const access = await open()
    await expect(access.configure(settings(more), authorization)).rejects.toThrow(ConfigError)
    expect(await access.verify(ADMIN.key)).toMatchObject({ subject: 'root' })
  })

  test('enabled without anything to check against does not start', async () => {
    await expect(open(settings({ apiKeys: [] }))).rejects.toThrow(/no key and no \[authentication\.jwt\]/)
  })
})

describe('signed tokens', () => {
  const verifyWith = async (token: string, rolesClaim = 'roles') =>
    (await open(settings({ jwt: { ...jwt, rolesClaim } }))).verify(token)

  test.each<[string, Record<string, unknown>, string, readonly string[]]>([
    ['a list', { roles: ['caller', 'watcher'] }, 'roles', ['caller', 'watcher']],
    ['a text', { roles: 'caller watcher' }, 'roles', ['caller', 'watcher']],
    ['inside another claim', { realm_access: { roles: ['caller'] } }, 'realm_access.roles', ['caller']],
    ['a name with dots', { 'https://x.example/roles': ['caller'] }, 'https://x.example/roles', ['caller']],
    ['nothing', {}, 'roles', ['default']],
    ['something else', { roles: { caller: true } }, 'roles', ['default']],
    [
      'a list of anything',
      { roles: [1, null, '', ['caller'], 'caller', 'x'.repeat(300)] },
      'roles',
      ['caller'],
    ],
    ['what every object has', {}, 'constructor.name', ['default']],
    ['a prototype', {}, '__proto__', ['default']],
  ])('the claim of roles is %s', async (_what, claims, rolesClaim, roles) => {
    const principal = await verifyWith(await sign({ scope: 'tools:list', ...claims }), rolesClaim)
    expect(principal).toMatchObject({ subject: 'eve', roles })
  })

  test('roles bring their scopes, and no claim brings none', async () => {
    expect((await verifyWith(await sign({ roles: ['caller'] })))?.scopes).toEqual(new Set(['tools:invoke']))
    expect((await verifyWith(await sign({})))?.scopes).toEqual(new Set())
  })

  test('no more roles are taken than anybody has', async () => {
    const roles = Array.from({ length: 150 }, (_, index) => `r${index}`)
    expect(rolesOf((await verifyWith(await sign({ roles }))) ?? undefined)).toHaveLength(100)
  })

  test('a token signed by somebody else is worth nothing, whatever roles it claims', async () => {
    expect(await verifyWith(await sign({ roles: ['caller'] }, foreign.privateKey))).toBeNull()
    expect(await verifyWith('a.b.c')).toBeNull()
  })

  const fewer = authorization.roles.map((role) => ({ ...role, scopes: [] }))
  test.each<[string, boolean, () => Partial<AuthenticationSettings>, AuthorizationSettings]>([
    ['says the same', false, () => ({ jwt }), authorization],
    ['knows other keys', false, () => ({ jwt, apiKeys: [ADMIN] }), authorization],
    ['knows no signer', true, () => ({}), authorization],
    [
      'knows another signer',
      true,
      () => ({ jwt: { ...jwt, issuer: 'https://other.example' } }),
      authorization,
    ],
    ['reads roles elsewhere', true, () => ({ jwt: { ...jwt, rolesClaim: 'groups' } }), authorization],
    ['takes scopes from roles', true, () => ({ jwt }), { ...authorization, roles: fewer }],
    ['has no authorization', true, () => ({ jwt }), off],
  ])('a configuration that %s ends their streams: %s', async (_what, isEnd, more, roles) => {
    const access = await open(settings({ jwt }))
    const token = await sign({ roles: ['caller'] })
    const [asked, unasked] = [await access.verify(token), await access.verify(token)]
    const { revoked } = asked ?? {}
    expect(revoked?.aborted).toBe(false)
    await access.configure(settings(more()), roles)
    expect(revoked?.aborted).toBe(isEnd)
    expect(unasked?.revoked?.aborted, 'a stream that opens too late').toBe(isEnd)
    expect(asked?.revoked).toBe(revoked)
  })

  test('a token ends the streams that it opened when its own time is over', async () => {
    const exp = Math.ceil(Date.now() / 1000) + 1
    const token = new SignJWT({ roles: ['caller'], iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp })
    const signed = await token.setProtectedHeader({ alg: 'ES256', kid: 'ours' }).sign(ours.privateKey)
    const principal = await verifyWith(signed)
    const isRevoked = () => principal?.revoked?.aborted
    expect(isRevoked()).toBe(false)
    await expect.poll(isRevoked).toBe(true)
  })

  test('keys go on beside them', async () => {
    expect(await verifyWith(ADMIN.key)).toMatchObject({ subject: 'root' })
  })
})
