import type { Context, MiddlewareHandler } from 'hono'
import { type Authentication, createAuthentication, requireScopes } from '../auth/bearer.ts'
import { anonymous, type Principal } from '../auth/principal.ts'
import { CallerError } from '../errors.ts'
import { UNFETCHABLE_METHOD } from '../guard/raw-request.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { setAnswerHeaders } from './answer-headers.ts'
import { readBody } from './body.ts'
import { addressRange } from './client-address.ts'
import { corsHeaders, preflightHeaders, varyByOrigin } from './cors.ts'
import { createOuterGuard, type Guards } from './outer-guard.ts'
import { JSON_ONLY, type RouteTable } from './route-table.ts'
import { CALLER, type ServiceEnv } from './service-env.ts'

export interface AdmissionOptions {
  /** Absent: a parent application looks at path, Host and Origin. Routes for loopback alone look at Host and Origin even then. */
  readonly guards?: Guards
  /** Absent: everybody is `anonymous`. */
  readonly authentication?: Authentication
  readonly rateLimiter?: RateLimiter
  readonly maxBodyBytes?: number
}

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024
/** A path without a route has no operation; it is limited with the ones that have no limit of their own. */
const NO_OPERATION = 'none'
const VARY = { vary: 'Origin' }

/** Path shape, Host, Origin, token, rate limit, content type, body: in this order, on every route, before any handler. */
export function createAdmission(
  options: AdmissionOptions,
  routes: RouteTable,
): MiddlewareHandler<ServiceEnv> {
  const checkOuter = createOuterGuard(options.guards)
  const { authentication, rateLimiter } = options
  const authenticate = authentication ? createAuthentication(authentication) : () => anonymous
  const defaultMaxBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES

  return async function admit(c, next) {
    const raw = c.get('raw')
    const route = c.get('route')
    const origin = checkOuter(
      raw,
      route ?? { isLoopbackOnly: routes.isLoopbackOnly(c), allowsEncodedSlash: false },
    )
    if (options.guards) setAnswerHeaders(c, VARY)
    if (origin !== undefined) {
      const preflight = preflightHeaders(c.req.raw, origin)
      if (preflight) return c.body(null, 204, preflight)
      setAnswerHeaders(c, corsHeaders(origin))
    }
    const found = route?.isPublic
      ? anonymous
      : (c.env?.[CALLER] ?? authenticate(raw, addressRange(c.get('address'))))
    const principal = found instanceof Promise ? await found : found
    c.set('principal', principal)
    if (!route?.isPublic) {
      if (authentication && route) requireScopes(principal, route.scopes, authentication)
      if (rateLimiter) await limitRate(c, route?.operationId ?? NO_OPERATION, principal, rateLimiter)
    }
    if (raw.method === UNFETCHABLE_METHOD) {
      throw new CallerError(
        'method',
        `${raw.method} is not spoken here: use GET, POST, PUT, PATCH or DELETE.`,
      )
    }
    if (raw.method !== 'GET' && raw.method !== 'HEAD') {
      const { maxBytes = defaultMaxBytes, accepts = JSON_ONLY } = route ?? {}
      await readBody(c.req, raw, { maxBytes, accepts })
    }
    await nextOrError(next)
    if (origin !== undefined) varyByOrigin(c)
  }
}

/** Hono lets what is thrown and is no Error pass by every error handler. */
async function nextOrError(next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (thrown) {
    throw thrown instanceof Error
      ? thrown
      : new Error('something that is no Error was thrown', { cause: thrown })
  }
}

async function limitRate(
  c: Context<ServiceEnv>,
  operationId: string,
  principal: Principal,
  limiter: RateLimiter,
): Promise<void> {
  const who =
    principal === anonymous ? `address:${addressRange(c.get('address'))}` : `subject:${principal.subject}`
  const verdict = await limiter.consume(operationId, who)
  if (!verdict) return
  setAnswerHeaders(c, verdict.headers)
  if (!verdict.allowed) {
    throw new CallerError('rate_limit', `Too many requests. Try again in ${verdict.resetSeconds} s.`)
  }
}
