import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CallerError } from '../errors.ts'
import { createJwksVerifier } from './jwks.ts'

const issuer = 'https://issuer.example'
const audience = 'https://quire.example/mcp'
const ours = await generateKeyPair('ES256')
const foreign = await generateKeyPair('ES256')
const secret = new TextEncoder().encode('a shared secret that nobody should accept here')

let keyServer: Server
let jwksUri: string

beforeAll(async () => {
  const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'ours', alg: 'ES256', use: 'sig' }]
  keyServer = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
  )
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
  jwksUri = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks`
})
afterAll(() => keyServer.close())

const token = (claims: Record<string, unknown> = {}, header = { alg: 'ES256', kid: 'ours' }) =>
  new SignJWT({ scope: 'tools:list tools:invoke', ...claims })
    .setProtectedHeader(header)
    .setSubject('ada')
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('5 min')

describe('tokens of an authorization server', () => {
  test('one of its own is accepted, with its scopes', async () => {
    const principal = await createJwksVerifier({ issuer, audience, jwksUri })(
      await token().sign(ours.privateKey),
    )
    expect(principal).toMatchObject({ subject: 'ada', scopes: new Set(['tools:list', 'tools:invoke']) })
    expect(principal?.revoked?.aborted).toBe(false)
  })

  test('what was opened with a token ends with it', async () => {
    const principal = await createJwksVerifier({ issuer, audience, jwksUri })(
      await token().setExpirationTime('2 s').sign(ours.privateKey),
    )
    expect(principal?.revoked?.aborted).toBe(false)
    await new Promise((resolve) => principal?.revoked?.addEventListener('abort', resolve))
  })

  test('a token without a scope claim has no scope at all', async () => {
    const principal = await createJwksVerifier({ issuer, audience, jwksUri })(
      await token({ scope: undefined }).sign(ours.privateKey),
    )
    expect(principal?.scopes).toEqual(new Set())
  })

  test.each<[string, () => Promise<string> | string]>([
    ['one signed by somebody else', () => token().sign(foreign.privateKey)],
    ['one for another audience', () => token().setAudience('https://other.example').sign(ours.privateKey)],
    ['one of another issuer', () => token().setIssuer('https://evil.example').sign(ours.privateKey)],
    ['an expired one', () => token().setExpirationTime('-1 min').sign(ours.privateKey)],
    ['one that is not valid yet', () => token().setNotBefore('5 min').sign(ours.privateKey)],
    ['one that names an unknown key', () => token({}, { alg: 'ES256', kid: 'none' }).sign(ours.privateKey)],
    ['one signed with a shared secret', () => token({}, { alg: 'HS256', kid: 'ours' }).sign(secret)],
    [
      'one without a signature',
      () => new UnsecuredJWT({ sub: 'ada', iss: issuer, aud: audience }).setExpirationTime('5 min').encode(),
    ],
    [
      'one without an expiry',
      () =>
        new SignJWT({})
          .setProtectedHeader({ alg: 'ES256', kid: 'ours' })
          .setSubject('a')
          .setIssuer(issuer)
          .setAudience(audience)
          .sign(ours.privateKey),
    ],
    [
      'one with a changed body',
      async () => (await token().sign(ours.privateKey)).replace(/\.[^.]+\./, `.${btoa('{"sub":"root"}')}.`),
    ],
    ['garbage', () => 'not.a.token'],
    ['more garbage', () => '....'],
    ['a long text', () => 'x'.repeat(8_000)],
  ])('%s is refused', async (_what, make) => {
    expect(await createJwksVerifier({ issuer, audience, jwksUri })(await make())).toBeNull()
  })

  test('a key server that does not answer is not the fault of the caller', async () => {
    const verify = createJwksVerifier({ issuer, audience, jwksUri: 'http://127.0.0.1:9/jwks' })
    const signed = await token().sign(ours.privateKey)
    const failure = await Promise.try(verify, signed).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CallerError)
    expect(failure).toMatchObject({ problem: { status: 503, reason: 'unavailable' } })
  })

  test.each([['http://keys.example/jwks'], ['file:///etc/passwd'], ['keys'], ['']])(
    'keys are never fetched from %j',
    (uri) => {
      expect(() => createJwksVerifier({ issuer, audience, jwksUri: uri })).toThrow(/must be https/)
    },
  )
})
