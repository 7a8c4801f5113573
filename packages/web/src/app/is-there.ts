import { SERVED } from '../services/served.ts'

const PATIENCE_MS = 5_000
/** What a proxy says in place of a server that is away. */
const OF_PROXIES: readonly number[] = [502, 503, 504]

/** Whether anybody answers at all: it needs no token. */
export async function isThere(): Promise<boolean> {
  try {
    const { status } = await fetch(`${SERVED.base.replace(/\/$/, '')}/icon.svg`, {
      method: 'HEAD',
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return !OF_PROXIES.includes(status)
  } catch {
    return false
  }
}
