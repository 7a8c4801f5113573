import type { Principal } from '@quire/kit/auth/principal'

/** A caller with the roles that their key or token names. */
export interface ComposerPrincipal extends Principal {
  readonly roles: readonly string[]
}

const DEFAULT_ROLE = 'default'

export function rolesOf(principal: Principal | undefined): readonly string[] {
  return orDefault(principal && isComposerPrincipal(principal) ? principal.roles : [])
}

/** Who has no role of their own has this one. */
export function orDefault(roles: readonly string[]): readonly string[] {
  return roles.length > 0 ? roles : [DEFAULT_ROLE]
}

function isComposerPrincipal(principal: Principal): principal is ComposerPrincipal {
  return 'roles' in principal
}
