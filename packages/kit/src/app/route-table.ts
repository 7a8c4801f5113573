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
}

export interface RouteTable {
  /** The facts of the route that will answer, or undefined when none will. */
  find(c: Context): RouteFacts | undefined
  /** The methods that the request's path has a route for. */
  methods(c: Context): readonly string[]
}

/** For `security` of a route: a caller with a token that has these scopes. */
export const needs = (...scopes: string[]): Record<string, string[]>[] => [{ bearer: scopes }]
/** For `security` of a route: anybody. */
export const open: Record<string, string[]>[] = []

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const JSON_ONLY = Object.freeze(['application/json'])

/**
 * Reads the routes of an app once, at the first request. A route that declares nothing needs a token: closed by default.
 */
export function createRouteTable<E extends Env>(
  app: OpenAPIHono<E>,
  publicPatterns: ReadonlySet<string>,
): RouteTable {
  const known = new WeakMap<RouterRoute, RouteFacts>()
  let documented: Map<string, RouteFacts> | undefined

  function factsOf(route: RouterRoute): RouteFacts {
    documented ??= readDocumented(app)
    const key = `${route.method} ${route.path}`
    const undocumented = {
      operationId: key,
      pattern: route.path,
      isPublic: publicPatterns.has(route.path),
      scopes: [],
      accepts: JSON_ONLY,
    }
    const facts = documented.get(key) ?? undocumented
    known.set(route, facts)
    return facts
  }

  return Object.freeze({
    find(c: Context) {
      const route = matchedRoutes(c).findLast(({ method, handler }) => method !== 'ALL' || handler.length < 2)
      return route && (known.get(route) ?? factsOf(route))
    },
    methods(c: Context) {
      const found = METHODS.filter((method) =>
        app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method),
      )
      return found.includes('GET') ? ['GET', 'HEAD', ...found.slice(1)] : found
    },
  })
}

function readDocumented<E extends Env>(app: OpenAPIHono<E>): Map<string, RouteFacts> {
  const facts = new Map<string, RouteFacts>()
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue
    const { method, path, operationId, security, request } = definition.route
    const pattern = path.replaceAll(/\/{(.+?)}/g, '/:$1')
    const key = `${method.toUpperCase()} ${pattern}`
    const maxBytes = definition.route['x-max-body-bytes']
    facts.set(key, {
      operationId: operationId ?? key,
      pattern,
      isPublic: security?.length === 0,
      scopes: security?.flatMap((scheme) => scheme.bearer ?? []) ?? [],
      accepts: request?.body ? Object.keys(request.body.content) : JSON_ONLY,
      ...(typeof maxBytes === 'number' && { maxBytes }),
    })
  }
  return facts
}
