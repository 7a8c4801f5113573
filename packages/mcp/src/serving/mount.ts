import type { ServiceApp } from '@quire/kit/app/create-app'
import { type Authentication, requireScopes } from '@quire/kit/auth/bearer'
import type { Principal } from '@quire/kit/auth/principal'
import { isRecord } from '../json.ts'
import type { McpEndpoint } from './endpoint.ts'
import { parseJsonBody } from './request-body.ts'

/** One message of a JSON-RPC body as it came: nothing in it has been looked at. */
export type IncomingMessage = Readonly<Record<string, unknown>>

export interface MountOptions {
  /** The scopes that a message needs, such as those of the tool that a `tools/call` names. */
  readonly scopeFor?: (message: IncomingMessage) => readonly string[]
  /** The app's own, for the challenge that goes with a refusal for scopes. */
  readonly authentication?: Authentication | undefined
}

const METHODS = ['GET', 'POST', 'DELETE']

/** For an app without tokens: its `anonymous` has all scopes, so this challenge is never seen. */
const NO_AUTHENTICATION: Authentication = Object.freeze({ realm: 'mcp', verify: () => null })

/** Serves an endpoint at a path of an app, which has admitted the caller and read the body before the endpoint sees them. */
export function mountMcp(
  app: ServiceApp,
  path: string,
  endpoint: McpEndpoint<Principal>,
  { scopeFor, authentication = NO_AUTHENTICATION }: MountOptions = {},
): void {
  app.on(METHODS, path, async function serveMcp(c) {
    const principal = c.get('principal')
    if (c.req.method !== 'POST') return endpoint.fetch(c.req.raw, { principal })
    const read = parseJsonBody(await c.req.text())
    if (read instanceof Response) return read
    const { body: parsedBody } = read
    if (scopeFor) {
      // All at once, so that a client can ask for them in one go.
      const needed = new Set(messagesIn(parsedBody).flatMap((message) => scopeFor(message)))
      requireScopes(principal, [...needed], authentication)
    }
    return endpoint.fetch(c.req.raw, { principal, parsedBody })
  })
}

/** What is no message needs no scope: the endpoint refuses it. */
function messagesIn(body: unknown): readonly IncomingMessage[] {
  return (Array.isArray(body) ? body : [body]).filter(isRecord)
}
