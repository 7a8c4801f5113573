import { missingScopes, type Principal } from '@quire/kit/auth/principal'
import type { ComposedCatalog, Conflict } from '../catalog/composed-catalog.ts'
import type { AccessView } from './access.ts'

/** What a caller may learn of servers beside their tools, prompts and resources. */
export interface ServerSight {
  /** Its instructions, its errors, what it runs and how much it offers. */
  sees(server: string): boolean
  /** Its name and its state: for those who see it, and for those who manage servers. */
  knows(server: string): boolean
  /** It names things of its servers in many ways: it is for those alone to whom the whole of these servers is open. */
  seesConflict(conflict: Conflict): boolean
}

export type SightCatalog = Pick<ComposedCatalog, 'search' | 'prompts' | 'resources' | 'templates'>

/** Without a view everything is seen. */
export interface SightOf {
  readonly view: AccessView | undefined
  readonly principal?: Principal | undefined
}

const MANAGES = 'servers:manage'
/** What is of no server is for those to whom everything is open. */
const NO_SERVER = ''
const ALL = Object.freeze({ limit: Number.MAX_SAFE_INTEGER, offset: 0 })

/**
 * A server that offers something is seen by those who may use some of it; one that offers nothing now, by those whose roles could name
 * something of it. Reads the catalog once: make one for each request.
 */
export function createServerSight(catalog: SightCatalog, { view, principal }: SightOf): ServerSight {
  const isWhole = (server: string) => !view || view.allows(`${server}:`)
  let offers: { readonly all: ReadonlySet<string>; readonly open: ReadonlySet<string> } | undefined

  function seesPart(server: string): boolean {
    offers ??= { all: serversIn(catalog), open: serversIn(catalog, view) }
    return offers.all.has(server) ? offers.open.has(server) : !view || view.mayAllow(server)
  }

  const sees = (server: string) => isWhole(server) || seesPart(server)
  return Object.freeze<ServerSight>({
    sees,
    knows: (server) => managesServers(principal) || sees(server),
    seesConflict: ({ servers }) => (servers.length > 0 ? servers : [NO_SERVER]).every(isWhole),
  })
}

export function managesServers(principal: Principal | undefined): boolean {
  return principal !== undefined && missingScopes(principal, [MANAGES]).length === 0
}

function serversIn(catalog: SightCatalog, view?: AccessView): ReadonlySet<string> {
  const entries = [
    catalog.search(ALL, view).tools,
    catalog.prompts(view),
    catalog.resources(view),
    catalog.templates(view),
  ]
  return new Set(entries.flatMap((list) => list.map(({ server }) => server)))
}
