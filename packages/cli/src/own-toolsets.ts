import { CALLER } from '@quire/kit/app/service-env'
import type { Principal } from '@quire/kit/auth/principal'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'
import { OWNER } from './file-verifier.ts'

export type Fetch = (request: Request, env: object) => Response | Promise<Response>
type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Our own services, when they ask each other: they outlive a rotated token, and there is nothing to steal. */
export const OURSELVES: Principal = Object.freeze({ subject: OWNER })

/** No server can be there: whatever goes to it stays in this process. */
const INSIDE = 'http://localhost:0'

/** The MCP servers of this very process, by the path that they are mounted at. What a file says under the same name comes first. */
export function withOwnToolsets(
  configured: ToolsetsConfig,
  paths: Readonly<Record<string, string>>,
): ToolsetsConfig {
  const own: ToolsetsConfig = new Map(
    Object.entries(paths).map(([name, path]) => [
      name,
      { type: 'http', url: `${INSIDE}${path}`, headers: {} },
    ]),
  )
  return new Map([...own, ...configured])
}

/** Asks ourselves without a socket, and everybody else as usual. */
export function createInsideFetch(inside: Fetch, outside: FetchLike = fetch): FetchLike {
  return async function fetchInside(url, init) {
    if (new URL(url).origin !== INSIDE) return outside(url, init)
    const response = await inside(new Request(url, init), { [CALLER]: OURSELVES })
    const { body, status, statusText, headers } = response
    // A socket would end with the signal; without one, the body has to.
    const signal = init?.signal
    if (!body || !signal) return response
    return new Response(body.pipeThrough(new TransformStream(), { signal }), { status, statusText, headers })
  }
}
