import { createOuterGuard, type Guards } from '@quire/kit/app/outer-guard'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { createAuthentication } from '@quire/kit/auth/bearer'
import { createKeyRing, keysFromTokens } from '@quire/kit/auth/key-ring'
import { type RawRequest, rawRequest } from '@quire/kit/guard/raw-request'
import type { MiddlewareHandler } from 'hono'

const TOKEN_SCHEME = /^token +/i
const PUBLIC_PATH = /^\/api\/?$/

/**
 * Path shape, Host, Origin, then the token, in the ways that Jupyter's clients send it: `Bearer`, `token`, and for a WebSocket `?token=`, since
 * browsers cannot send headers with one. Only `/api` itself is open.
 */
export function createDoor(token: string, guards: Guards | undefined): MiddlewareHandler<ServiceEnv> {
  const checkOuter = createOuterGuard(guards)
  const { verify } = createKeyRing(keysFromTokens([token], 'notebooks'))
  const authenticate = createAuthentication({ verify, realm: 'notebooks' })

  return async function enter(c, next) {
    const incoming = c.env?.incoming
    const raw = rawRequest(c.req.raw, incoming)
    checkOuter(raw, { isLoopbackOnly: false, allowsEncodedSlash: false })
    const isPublic = c.req.method === 'GET' && PUBLIC_PATH.test(c.req.path)
    if (!isPublic) await authenticate(withBearer(raw), incoming?.socket.remoteAddress ?? '')
    await next()
  }
}

/** The same request, with its token where it is looked for. A token beside another in the address is not read. */
function withBearer(raw: RawRequest): RawRequest {
  const isUpgrade = raw.header('upgrade').some((value) => value.toLowerCase() === 'websocket')
  const offered = raw.header('authorization').map((value) => value.replace(TOKEN_SCHEME, 'Bearer '))
  const [path = '', query = ''] = raw.target.split('?', 2)
  const tokens = isUpgrade ? new URLSearchParams(query).getAll('token') : []
  const authorization = offered.length > 0 ? offered : tokens.map((token) => `Bearer ${token}`)
  return {
    method: raw.method,
    bodyLength: raw.bodyLength,
    target: isUpgrade ? path : raw.target,
    header: (name) => (name === 'authorization' ? authorization : raw.header(name)),
  }
}
