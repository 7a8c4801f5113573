import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { CallerError } from '../errors.ts'
import { expirySignal } from './expiry.ts'
import type { Principal, TokenVerifier } from './principal.ts'

export interface JwksOptions {
  /** Must equal the `iss` claim to the letter. */
  readonly issuer: string
  /** Must be among the `aud` claim: a token for somebody else is refused. */
  readonly audience: string
  /** https, or http on loopback. */
  readonly jwksUri: string
  readonly fetch?: typeof fetch
  readonly timeoutMs?: number
}

/** Only asymmetric signatures: with a key set, `none` and shared secrets are the known ways to forge a token. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Tokens signed by an authorization server whose public keys are at `jwksUri` (RFC 7517, RFC 9068). Scopes come from `scope` or `scp`. */
export function createJwksVerifier(options: JwksOptions): TokenVerifier {
  const keySet = createRemoteJWKSet(parseKeySetUrl(options.jwksUri), {
    timeoutDuration: options.timeoutMs ?? 5_000,
    ...(options.fetch && { [customFetch]: options.fetch }),
  })
  return async function verifyJwt(token) {
    try {
      const { payload } = await jwtVerify(token, keySet, {
        issuer: options.issuer,
        audience: options.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
      })
      return toPrincipal(payload)
    } catch (error) {
      if (!isUnavailable(error)) return null
      throw new CallerError(
        'unavailable',
        'The server that holds the signing keys does not answer. Try again in a moment.',
        { cause: error },
      )
    }
  }
}

function parseKeySetUrl(text: string): URL {
  const url = URL.parse(text)
  const plain = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (!url || (url.protocol !== 'https:' && !plain)) {
    throw new Error(`The address of the key set must be https (or http on loopback), not "${text}".`)
  }
  return url
}

/** A token without any scope claim has none: unlike a key of our own, it was not issued for us alone. */
function toPrincipal({ sub = '', exp = 0, scope, scp }: JWTPayload): Principal {
  const claim = scope ?? scp
  const scopes =
    typeof claim === 'string'
      ? claim.split(' ')
      : Array.isArray(claim)
        ? claim.filter((item) => typeof item === 'string')
        : []
  return Object.freeze({
    subject: sub,
    scopes: new Set(scopes.filter(Boolean)),
    revoked: expirySignal(exp * 1000),
  })
}

/** jose names a bad token by an error type of its own; a key set that never came, or came as something else, is not the caller's fault. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError) || error.constructor === errors.JOSEError) return true
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid
}
