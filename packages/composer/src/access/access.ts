import type { Principal } from '@quire/kit/auth/principal'
import type { View } from '../catalog/composed-catalog.ts'
import { matchesAnyGlob } from '../catalog/glob.ts'
import type { AuthorizationSettings } from '../config/config.ts'
import { rolesOf } from './composer-principal.ts'
import { reachesInto } from './reaches-into.ts'

/** What one caller may see, of servers that offer nothing at the moment as well. */
export interface AccessView extends View {
  /** Whether something of this server could be for the caller. */
  mayAllow(server: string): boolean
}

/** Which tools, prompts and resources a caller may see and use. */
export interface Access {
  /**
   * With authorization on what the patterns of the caller's roles name, and nothing else; who has no role, or no name, has the role "default" if there is one.
   * With authorization off everything.
   */
  viewOf(principal: Principal | undefined): AccessView
  configure(authorization: AuthorizationSettings): void
}

const MAX_VIEWS = 1_000
const EVERYTHING: AccessView = Object.freeze({
  key: 'everything',
  allowsTool: () => true,
  allows: () => true,
  mayAllow: () => true,
})

/** Servers that some callers have another way to. */
export interface HiddenServers {
  /** Read anew whenever the configuration was. */
  names(): ReadonlySet<string>
  isFor(principal: Principal | undefined): boolean
}

export function createAccess(initial: AuthorizationSettings, hidden?: HiddenServers): Access {
  const views = new Map<string, AccessView>()
  let settings = initial

  return Object.freeze({
    viewOf(principal) {
      const hides = hidden?.isFor(principal) ? hidden.names() : undefined
      if (!settings.enabled && !hides) return EVERYTHING
      const roles = settings.enabled ? rolesOf(principal) : undefined
      const key = JSON.stringify([roles, hides !== undefined])
      const known = views.get(key)
      if (known) return known
      const seen = roles ? viewFor(roles, settings) : EVERYTHING
      const made = hides ? without(hides, seen) : seen
      const [oldest] = views.keys()
      if (views.size >= MAX_VIEWS && oldest !== undefined) views.delete(oldest)
      views.set(key, made)
      return made
    },
    configure(authorization) {
      settings = authorization
      views.clear()
    },
  } satisfies Access)
}

/** The key says what can be seen and not who sees it, so it holds beyond a change of the roles. */
function viewFor(roles: readonly string[], settings: AuthorizationSettings): AccessView {
  const named = settings.roles.filter(({ name }) => roles.includes(name))
  const patterns = [...new Set(named.flatMap(({ tools }) => tools))].sort()
  const allows = (id: string) => matchesAnyGlob(patterns, id)
  return Object.freeze<AccessView>({
    key: JSON.stringify(patterns),
    allowsTool: ({ id }) => allows(id),
    allows,
    mayAllow: (server) => patterns.some((pattern) => reachesInto(pattern, `${server}:`)),
  })
}

function without(names: ReadonlySet<string>, view: AccessView): AccessView {
  const isShown = (server: string) => !names.has(server)
  const serverOf = (id: string) => id.slice(0, id.indexOf(':'))
  return Object.freeze<AccessView>({
    key: JSON.stringify([view.key, ...names]),
    allowsTool: (tool) => isShown(tool.server) && view.allowsTool(tool),
    allows: (id) => isShown(serverOf(id)) && view.allows(id),
    mayAllow: (server) => isShown(server) && view.mayAllow(server),
  })
}
