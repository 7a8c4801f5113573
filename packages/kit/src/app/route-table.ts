import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, Env } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { RouterRoute } from 'hono/types'

/** What a route says of itself in its OpenAPI declaration, and what the guards therefore hold it to. */
export interface RouteFacts {
  readonly operationId: string
  /** `/teams/:team_id`: safe as a label of logs and metrics, unlike the path itself. */
  readonly pattern: string
  readonly isPublic: boolean
  readonly scopes: readonly string[]
  readonly accepts: readonly string[]
  readonly maxBytes?: number
  /** A parameter of the path may hold a slash, sent as `%2F`. */
  readonly allowsEncodedSlash: boolean
  /** For this machine alone: no allowed Host or Origin beyond loopback opens it. */
  readonly isLoopbackOnly: boolean
}

export interface RouteTable {
  /** The facts of the route that will answer, or undefined when none will. */
  find(c: Context): RouteFacts | undefined
  /** The methods that the request's path has a route for. */
  methods(c: Context): readonly string[]
  /** Whether a route of the request's path, whatever its method, is for loopback alone: so are preflights and wrong methods there. */
  isLoopbackOnly(c: Context): boolean
}

/** For `security` of a route: a caller with a token that has these scopes. */
export const needs = (...scopes: string[]): Record<string, string[]>[] => [{ bearer: scopes }]
/** For `security` of a route: anybody. */
export const open: Record<string, string[]>[] = []

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** What a route takes that does not say. */
export const JSON_ONLY: readonly string[] = Object.freeze(['application/json'])

/**
 * Reads the routes of an app once, at the first request. A route that declares nothing needs a token: closed by default.
 * Where several routes match one request, Hono runs the first and may go on to the next: the request must satisfy them all.
 */
export function createRouteTable<E extends Env>(
  app: OpenAPIHono<E>,
  publicPatterns: ReadonlySet<string>,
): RouteTable {
  const known = new WeakMap<RouterRoute, RouteFacts>()
  let documented: ReadonlyMap<string, RouteFacts> | undefined

  function factsOf(route: RouterRoute): RouteFacts {
    documented ??= readDocumented(app)
    const key = keyOf(route.method, route.path)
    const facts = documented.get(key) ?? {
      operationId: key,
      pattern: route.path,
      isPublic: publicPatterns.has(route.path),
      scopes: [],
      accepts: JSON_ONLY,
      allowsEncodedSlash: false,
      isLoopbackOnly: false,
    }
    known.set(route, facts)
    return facts
  }

  return Object.freeze({
    find(c: Context) {
      let found: RouteFacts | undefined
      for (const route of matchedRoutes(c)) {
        if (isMiddleware(route)) continue
        const facts = known.get(route) ?? factsOf(route)
        if (found === undefined) found = facts
        else if (facts.pattern !== found.pattern || facts.operationId !== found.operationId)
          found = strictest(found, facts)
      }
      return found
    },
    methods(c: Context) {
      const found = METHODS.filter((method) =>
        app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method),
      )
      return found.includes('GET') ? ['GET', 'HEAD', ...found.slice(1)] : found
    },
    isLoopbackOnly(c: Context) {
      return METHODS.some((method) =>
        app.router
          .match(method, c.req.path)[0]
          .some(([[, route]]) => !isMiddleware(route) && (known.get(route) ?? factsOf(route)).isLoopbackOnly),
      )
    },
  })
}

/** What `app.use` and `app.mount` register. A mounted app has no facts here, and is closed. */
function isMiddleware({ method, path, handler }: RouterRoute): boolean {
  return method === 'ALL' && path.endsWith('*') && handler.length >= 2
}

function strictest(first: RouteFacts, second: RouteFacts): RouteFacts {
  const maxBytes = Math.min(
    first.maxBytes ?? Number.POSITIVE_INFINITY,
    second.maxBytes ?? Number.POSITIVE_INFINITY,
  )
  return {
    operationId: first.operationId,
    pattern: first.pattern,
    isPublic: first.isPublic && second.isPublic,
    scopes: [...new Set([...first.scopes, ...second.scopes])],
    accepts: first.accepts,
    allowsEncodedSlash: first.allowsEncodedSlash && second.allowsEncodedSlash,
    isLoopbackOnly: first.isLoopbackOnly || second.isLoopbackOnly,
    ...(Number.isFinite(maxBytes) && { maxBytes }),
  }
}

function readDocumented<E extends Env>(app: OpenAPIHono<E>): ReadonlyMap<string, RouteFacts> {
  const registered = new Set(app.routes.map(({ method, path }) => keyOf(method, path)))
  const facts = new Map<string, RouteFacts>()
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue
    const { method, path, operationId, security, request } = definition.route
    const pattern = path.replaceAll(/\/{(.+?)}/g, '/:$1')
    const key = keyOf(method, pattern)
    // Both would leave a route without the scopes that it declares.
    if (facts.has(key)) throw new Error(`${key} is declared twice: keep one declaration.`)
    if (!registered.has(key))
      throw new Error(`${key} is declared, but answers somewhere else: declare its whole path.`)
    const maxBytes = definition.route['x-max-body-bytes']
    facts.set(key, {
      operationId: operationId ?? key,
      pattern,
      isPublic: security?.length === 0,
      scopes: security?.flatMap((scheme) => scheme.bearer ?? []) ?? [],
      accepts: request?.body ? Object.keys(request.body.content) : JSON_ONLY,
      allowsEncodedSlash: definition.route['x-encoded-slash'] === true,
      isLoopbackOnly: definition.route['x-loopback-only'] === true,
      ...(typeof maxBytes === 'number' && { maxBytes }),
    })
  }
  return facts
}

function keyOf(method: string, pattern: string): string {
  return `${method.toUpperCase()} ${pattern}`
}
