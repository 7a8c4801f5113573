/** Who is calling, and what they may do. */
export interface Principal {
  readonly subject: string
  /** Absent: a key without scopes listed has all of them. */
  readonly scopes?: ReadonlySet<string>
  /** Aborted when the credential is revoked or rotated away, so that open streams end with it. */
  readonly revoked?: AbortSignal
}

/** The caller of a service whose authentication is off, or is its parent application's business. */
export const anonymous: Principal = Object.freeze({ subject: 'anonymous' })

/** A token's owner, or null when the token is worth nothing. Throws only when it cannot tell (a key server that does not answer). */
export type TokenVerifier = (token: string) => Principal | null | Promise<Principal | null>

export function missingScopes(principal: Principal, needed: readonly string[]): readonly string[] {
  const { scopes } = principal
  return scopes ? needed.filter((scope) => !scopes.has(scope)) : []
}

/** Asks one verifier after the other; the first that knows the token answers. */
export function anyVerifier(verifiers: readonly TokenVerifier[]): TokenVerifier {
  return async function verifyWithAny(token) {
    for (const verify of verifiers) {
      const principal = await verify(token)
      if (principal) return principal
    }
    return null
  }
}
