import type { Context } from 'hono'

const EXPOSED = 'Retry-After, WWW-Authenticate, Mcp-Session-Id, X-Conversation-Id, X-Request-Id'

/** For an Origin that the guard has let pass. Never with credentials: we take no cookies. */
export function corsHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
}

/** The whole answer to a preflight; undefined when the request is none. */
export function preflightHeaders(request: Request, origin: string): Record<string, string> | undefined {
  const method = request.headers.get('access-control-request-method')
  if (request.method !== 'OPTIONS' || method === null) return undefined
  const wanted = request.headers.get('access-control-request-headers')
  return {
    ...corsHeaders(origin),
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    ...(wanted !== null && { 'access-control-allow-headers': wanted }),
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Headers',
  }
}

/** An answer to one Origin must not be given to another by a cache, whatever else the handler lets it vary by. */
export function varyByOrigin(c: Context): void {
  const others = c.res.headers.get('vary')
  if (others !== null && !/\borigin\b/i.test(others)) c.header('vary', `${others}, Origin`)
}
