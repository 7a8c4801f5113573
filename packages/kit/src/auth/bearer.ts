import { CallerError } from '../errors.ts'
import type { RawRequest } from '../guard/raw-request.ts'
import { type Challenge, challengeHeader } from './challenge.ts'
import { createFailureThrottle, type FailureThrottle } from './failure-throttle.ts'
import { missingScopes, type Principal, type TokenVerifier } from './principal.ts'
import { isIntactToken } from './token.ts'

export interface Authentication {
  readonly verify: TokenVerifier
  /** Shown in the challenge, such as `notebook-tools`. */
  readonly realm: string
  readonly resourceMetadata?: string
  readonly throttle?: FailureThrottle
}

/** Answers at once where the verifier does: on the way of every request a promise has its price. */
export type Authenticate = (raw: RawRequest, address: string) => Principal | Promise<Principal>

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const LONGEST_TOKEN = 8192
const TOKEN_PARAMETER = /[?&](?:access_token|token)=/i
const SUBPROTOCOL = 'quire.bearer.'

/** Reads the one bearer token of a request and asks whose it is; throws what the caller is to be told. */
export function createAuthentication(options: Authentication): Authenticate {
  const throttle = options.throttle ?? createFailureThrottle()
  const challenge = (rest: Omit<Challenge, 'realm'> = {}) => challengeFor(options, rest)

  return function authenticate(raw, address) {
    const offered = readTokens(raw)
    if (offered.length > 1 || TOKEN_PARAMETER.test(raw.target)) {
      const detail =
        'Send one token, in one Authorization header; a token in the address is never read, because addresses end up in logs.'
      throw new CallerError('token_twice', detail, {
        headers: challenge({ error: 'invalid_request', description: detail }),
      })
    }
    const [token] = offered
    if (token === undefined) {
      throw new CallerError(
        'token_missing',
        'This route needs a token: send "Authorization: Bearer <token>".',
        { headers: challenge() },
      )
    }
    const principal = token === '' || token.length > LONGEST_TOKEN ? null : options.verify(token)
    if (principal instanceof Promise) return principal.then((found) => found ?? refuse(token, address))
    return principal ?? refuse(token, address)
  }

  function refuse(token: string, address: string): never {
    const wait = throttle.record(address)
    if (wait > 0) {
      throw new CallerError(
        'token_throttled',
        `Too many wrong tokens from this address. Try again in ${wait} s.`,
        {
          headers: {
            'retry-after': String(wait),
            'ratelimit-policy': throttle.policy,
            ratelimit: `"wrong-tokens";r=0;t=${wait}`,
          },
        },
      )
    }
    const detail = isIntactToken(token)
      ? 'The token is not valid here.'
      : 'The token is damaged: part of it is missing or mistyped.'
    throw new CallerError('token_invalid', detail, {
      headers: challenge({ error: 'invalid_token', description: detail }),
    })
  }
}

/** Whose the one token of a request is. Null where there is anything to refuse: that is for `authenticate`, which also counts it. */
export function createRecognition({ verify }: Authentication) {
  return function recognise(raw: RawRequest): Principal | null | Promise<Principal | null> {
    const [token, second] = readTokens(raw)
    return !token || second !== undefined || token.length > LONGEST_TOKEN ? null : verify(token)
  }
}

/** Throws 403 with all the scopes that the route needs, so that a client can ask for them in one go. */
export function requireScopes(
  principal: Principal,
  needed: readonly string[],
  options: Authentication,
): void {
  const missing = missingScopes(principal, needed)
  if (missing.length === 0) return
  const detail = `The token lacks the scope ${missing.join(', ')}.`
  throw new CallerError('scope', detail, {
    headers: challengeFor(options, { error: 'insufficient_scope', description: detail, scope: needed }),
  })
}

function challengeFor(options: Authentication, rest: Omit<Challenge, 'realm'>): Record<string, string> {
  const { realm, resourceMetadata } = options
  return {
    'www-authenticate': challengeHeader({ realm, ...(resourceMetadata && { resourceMetadata }), ...rest }),
    'cache-control': 'no-store',
  }
}

/** A malformed header gives an empty token: something was offered, and it is worth nothing. */
function readTokens(raw: RawRequest): readonly string[] {
  const fromHeaders = raw.header('authorization').map((value) => BEARER.exec(value)?.[1] ?? '')
  const upgrades = raw.header('upgrade').some((value) => value.toLowerCase() === 'websocket')
  return upgrades ? [...fromHeaders, ...tokensInSubprotocols(raw)] : fromHeaders
}

/** Browsers cannot set headers on a WebSocket: they offer the sub-protocols `quire.v1` and `quire.bearer.<the token in base64url>`. */
function tokensInSubprotocols(raw: RawRequest): readonly string[] {
  return raw
    .header('sec-websocket-protocol')
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value.startsWith(SUBPROTOCOL))
    .map((value) => Buffer.from(value.slice(SUBPROTOCOL.length), 'base64url').toString('utf8'))
}
