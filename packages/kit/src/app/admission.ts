import type { Context, MiddlewareHandler } from 'hono'
import { type Authentication, createAuthentication, requireScopes } from '../auth/bearer.ts'
import { anonymous, type Principal } from '../auth/principal.ts'
import { CallerError } from '../errors.ts'
import { createHostGuard, LOOPBACK_HOSTS } from '../guard/host.ts'
import { createOriginGuard } from '../guard/origin.ts'
import { faultInPath, type PathRules } from '../guard/path.ts'
import type { RawRequest } from '../guard/raw-request.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { setAnswerHeaders } from './answer-headers.ts'
import { readBody } from './body.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import type { RouteFacts } from './route-table.ts'
import type { ServiceEnv } from './service-env.ts'

export interface Guards extends PathRules {
  /** Names beside the loopback ones. */
  readonly allowedHosts?: readonly string[]
  /** Origins beside the loopback ones and the service's own. */
  readonly allowedOrigins?: readonly string[]
}

export interface AdmissionOptions {
  /** Absent: a parent application looks at path, Host and Origin. */
  readonly guards?: Guards
  /** Absent: everybody is `anonymous`. */
  readonly authentication?: Authentication
  readonly rateLimiter?: RateLimiter
  readonly maxBodyBytes?: number
}

const MAX_DEPTH = 64
const DEFAULT_MAX_BODY_BYTES = 1024 * 1024

/** Path shape, Host, Origin, token, rate limit, content type, body: in this order, on every route, before any handler. */
export function createAdmission(options: AdmissionOptions): MiddlewareHandler<ServiceEnv> {
  const checkOuter = options.guards ? createOuterGuard(options.guards) : undefined
  const { authentication, rateLimiter } = options
  const authenticate = authentication ? createAuthentication(authentication) : () => anonymous
  const maxBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES

  return async function admit(c, next) {
    const raw = c.get('raw')
    const origin = checkOuter?.(raw)
    if (origin !== undefined) {
      const preflight = preflightHeaders(c.req.raw, origin)
      if (preflight) return c.body(null, 204, preflight)
      setAnswerHeaders(c, corsHeaders(origin))
    }
    const route = c.get('route')
    const found = route?.isPublic ? anonymous : authenticate(raw, c.get('address'))
    const principal = found instanceof Promise ? await found : found
    c.set('principal', principal)
    if (route && !route.isPublic) {
      if (authentication) requireScopes(principal, route.scopes, authentication)
      if (rateLimiter) await limitRate(c, route, principal, rateLimiter)
    }
    if (route && c.req.method !== 'GET') {
      await readBody(c.req, raw, {
        maxBytes: route.maxBytes ?? maxBytes,
        maxDepth: MAX_DEPTH,
        accepts: route.accepts,
      })
    }
    await next()
  }
}

/** Returns the request's Origin, when it has one and it is allowed. */
function createOuterGuard(guards: Guards): (raw: RawRequest) => string | undefined {
  const isAllowedHost = createHostGuard([...LOOPBACK_HOSTS, ...(guards.allowedHosts ?? [])])
  const isAllowedOrigin = createOriginGuard(guards.allowedOrigins ?? [])
  return function checkOuter(raw) {
    const fault = faultInPath(raw.target, guards)
    if (fault) throw new CallerError('path_shape', fault)
    const hosts = raw.header('host')
    if (!isAllowedHost(hosts)) {
      throw new CallerError(
        'host',
        'This server does not answer to that Host. Use its loopback name, or start it with --allowed-host.',
      )
    }
    const origins = raw.header('origin')
    if (origins.length === 0) return undefined
    if (!isAllowedOrigin(origins, hosts[0] ?? '')) {
      throw new CallerError(
        'origin',
        'Pages of that Origin may not call this server. Start it with --allowed-origin to let them.',
      )
    }
    return origins[0]
  }
}

async function limitRate(
  c: Context<ServiceEnv>,
  route: RouteFacts,
  principal: Principal,
  limiter: RateLimiter,
): Promise<void> {
  const who = principal === anonymous ? `address:${c.get('address')}` : `subject:${principal.subject}`
  const verdict = await limiter.consume(route.operationId, who)
  if (!verdict) return
  setAnswerHeaders(c, verdict.headers)
  if (!verdict.allowed)
    throw new CallerError('rate_limit', `Too many requests. Try again in ${verdict.resetSeconds} s.`)
}
