import type { ServiceApp } from '@quire/kit/app/create-app'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { ShortRoute } from '@quire/kit/app/short-way'
import { type Authentication, requireScopes } from '@quire/kit/auth/bearer'
import { missingScopes } from '@quire/kit/auth/principal'
import type { RawRequest } from '@quire/kit/guard/raw-request'
import type { Context } from 'hono'
import type { HttpFront, IncomingMessage, ReadHeaders, StreamableFront } from './front-options.ts'

/** The scopes that a message needs, such as those of the tool that a `tools/call` names. */
export type ScopeFor = (message: IncomingMessage) => readonly string[]

export interface FrontMountOptions {
  readonly scopeFor?: ScopeFor | undefined
  /** The app's own, for the challenge that goes with a refusal for scopes. */
  readonly authentication?: Authentication | undefined
}

/** One front, or the one that a request is for. */
export type FrontSource = HttpFront | ((c: Context<ServiceEnv>) => HttpFront)

const METHODS = ['GET', 'POST', 'DELETE']

/** For an app without tokens: its `anonymous` has all scopes, so this challenge is never seen. */
const NO_AUTHENTICATION: Authentication = Object.freeze({ realm: 'mcp', verify: () => null })

/** Serves a front at a path of an app, which has admitted the caller and read the body before the front sees them. */
export function mountFront(
  app: ServiceApp,
  path: string,
  source: FrontSource,
  { scopeFor, authentication = NO_AUTHENTICATION }: FrontMountOptions = {},
): void {
  app.on(METHODS, path, async function serveFront(c) {
    const front = typeof source === 'function' ? source(c) : source
    const principal = c.get('principal')
    if (c.req.method !== 'POST') return front.fetch(c.req.raw, { principal })
    const body = await c.req.text()
    const rawHeaders = c.env.incoming?.rawHeaders
    const headers = toReadHeaders(c.get('raw'))
    // Whoever has no scopes listed has them all.
    const needsScopes = scopeFor && principal.scopes
    return front.fetch(c.req.raw, {
      principal,
      body,
      headers,
      rawHeaders,
      admit: needsScopes ? admit : undefined,
    })

    function admit(messages: readonly IncomingMessage[]): void {
      // All at once, so that a client can ask for them in one go.
      requireScopes(principal, scopesOf(messages, scopeFor), authentication)
    }
  })
}

/** The way past the app to a front that is mounted at a path of it; the app itself is at `prefix`. */
export function shortRouteTo(
  front: StreamableFront,
  { path, prefix, scopeFor }: { path: string; prefix: string; scopeFor: ScopeFor },
): ShortRoute {
  return {
    target: `${prefix}${path}`,
    pattern: path,
    answer: ({ principal, raw, rawHeaders, text, onGone }) =>
      front.post({
        text,
        principal,
        onGone,
        headers: toReadHeaders(raw),
        rawHeaders: () => rawHeaders,
        mayPass: (messages) =>
          !principal.scopes || missingScopes(principal, scopesOf(messages, scopeFor)).length === 0,
      }),
  }
}

function scopesOf(messages: readonly IncomingMessage[], scopeFor: ScopeFor | undefined): readonly string[] {
  return [...new Set(messages.flatMap((message) => scopeFor?.(message) ?? []))]
}

/** Doubled headers joined, as fetch joins them. */
function toReadHeaders(raw: RawRequest): ReadHeaders {
  return {
    get(name) {
      const values = raw.header(name)
      return values.length === 0 ? null : values.join(', ')
    },
  }
}
