import type { Guards } from '@quire/kit/app/outer-guard'
import { ConfigError } from '@quire/kit/config/config-error'
import { isLoopbackHost } from '@quire/kit/guard/host'
import type { Logger } from '@quire/kit/log'

/** Where a service listens, and under which names it is known. */
export interface Exposure {
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly publicUrl?: string | undefined
}

/** A bind to one address was asked for by name: it is answered to. */
export function guardsFor({ host, allowedHosts, allowedOrigins, publicUrl }: Exposure): Guards {
  const bound = host === '0.0.0.0' || host === '::' ? [] : [host]
  const seen = publicUrl === undefined ? undefined : new URL(publicUrl)
  return {
    allowedHosts: [...allowedHosts, ...bound, ...(seen ? [seen.host] : [])],
    allowedOrigins: [...allowedOrigins, ...(seen ? [seen.origin] : [])],
  }
}

export interface Door {
  readonly host: string
  /** Nobody is asked for a token. */
  readonly isOpen: boolean
  /** The flag that opens it. */
  readonly flag: string
  /** Whether that flag, when it is given, holds beyond this machine too. */
  readonly mayFaceNetwork: boolean
}

/** Refuses to let everybody in who is on another machine, but for a flag that says just that. */
export function assertSafe({ host, isOpen, flag, mayFaceNetwork }: Door): void {
  if (!isOpen || mayFaceNetwork || isLoopbackHost(host)) return
  const message = `${flag} works on loopback only, and ${host} is reached from other machines: leave one of the two out`
  throw new ConfigError([{ setting: flag, origin: `--host ${host}`, message }])
}

/** `deed` is what everybody may do. */
export function warnOfOpenDoor(logger: Logger, host: string, deed: string): void {
  if (isLoopbackHost(host)) logger.warn(`authentication is off: every program on this machine may ${deed}`)
  else
    logger.error(
      { host },
      `AUTHENTICATION IS OFF AND THIS ADDRESS IS REACHED FROM OTHER MACHINES: everybody on the network may ${deed}`,
    )
}
