import type { TeamsOptions } from '@quire/teams/create-teams'
import type { createInsideFetch } from './own-toolsets.ts'

type InsideFetch = ReturnType<typeof createInsideFetch>

export interface OwnAgents {
  readonly allowed: NonNullable<TeamsOptions['allowedAgents']>
  /** Whichever of our addresses is asked, nothing leaves the process. */
  readonly fetch: typeof fetch
}

interface Seen {
  readonly host: string
  readonly port: number
  readonly tlsCert?: string | undefined
  readonly publicUrl?: string | undefined
}

/** No server can be there, as in `own-toolsets.ts`: it counts whatever the port is. */
const INSIDE = 'http://localhost:0'
const RUNTIME = '/runtime/'
const AGENTS = `${RUNTIME}api/v1/agents/`
const PLAIN_PATH = /^(?:\/[A-Za-z0-9._~-]+)*$/

/** The agents of our own runtime as members of teams, under every address that people know them by. */
export function createOwnAgents(seen: Seen, inside: InsideFetch): OwnAgents {
  const bases = [INSIDE, ...basesOf(seen)]
  return {
    allowed: bases.map((base) => ({ url: base + AGENTS })),
    async fetch(input, init) {
      if (input instanceof Request) return fetch(input, init)
      const base = bases.find((one) => String(input).startsWith(one + RUNTIME))
      return inside(base === undefined ? input : INSIDE + String(input).slice(base.length), init)
    },
  }
}

/** Of a port that the system chooses nothing is known yet. */
function basesOf({ host, port, tlsCert, publicUrl }: Seen): readonly string[] {
  const scheme = tlsCert === undefined ? 'http' : 'https'
  const names = port === 0 ? [] : ['127.0.0.1', 'localhost', host.includes(':') ? `[${host}]` : host]
  const seen = [...names.map((name) => `${scheme}://${name}:${port}`), ...(publicUrl ? [publicUrl] : [])]
  const bases = seen.flatMap((text) => {
    const url = URL.parse(text)
    const path = url?.pathname.replace(/\/+$/, '') ?? ''
    return url && PLAIN_PATH.test(path) ? [url.origin + path] : []
  })
  return [...new Set(bases)]
}
