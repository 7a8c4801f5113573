import type { ComposerPrincipal } from './composer-principal.ts'

/**
 * The same caller, revoked by a signal of many beside its own. The two are joined when a stream asks for it and not for every request:
 * what is joined stays with the common signal until one of them ends.
 */
export function revocableBy(principal: ComposerPrincipal, common: AbortSignal): ComposerPrincipal {
  const signals = principal.revoked ? [principal.revoked, common] : [common]
  let revoked: AbortSignal | undefined
  return Object.freeze({
    ...principal,
    get revoked() {
      revoked ??= join(signals)
      return revoked
    },
  })
}

/** `AbortSignal.any` leaves something behind at a signal that lives on. */
function join(signals: readonly AbortSignal[]): AbortSignal {
  const joined = new AbortController()
  const { signal } = joined
  if (signals.some(({ aborted }) => aborted)) joined.abort()
  for (const one of signals) one.addEventListener('abort', () => joined.abort(), { signal })
  return signal
}
