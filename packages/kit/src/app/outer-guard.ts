import { CallerError } from '../errors.ts'
import { createHostGuard, type HostGuard, LOOPBACK_HOSTS } from '../guard/host.ts'
import { createOriginGuard, type OriginGuard } from '../guard/origin.ts'
import { faultInPath } from '../guard/path.ts'
import type { RawRequest } from '../guard/raw-request.ts'

export interface Guards {
  /** Names beside the loopback ones. */
  readonly allowedHosts?: readonly string[]
  /** Origins beside the loopback ones and the service's own. */
  readonly allowedOrigins?: readonly string[]
}

export interface OuterRules {
  readonly isLoopbackOnly: boolean
  readonly allowsEncodedSlash: boolean
}

/** Throws for a path, a Host or an Origin that may not pass. Returns the Origin that CORS answers are for, if there is one. */
export type OuterGuard = (raw: RawRequest, rules: OuterRules) => string | undefined

/** What a request says of where it comes from and goes to, before anything else of it is looked at. */
export function createOuterGuard(guards: Guards | undefined): OuterGuard {
  const loopback: Door = {
    isAllowedHost: createHostGuard(LOOPBACK_HOSTS),
    isAllowedOrigin: createOriginGuard([]),
    hostHint: 'This route is for this machine alone: use a loopback name, such as localhost.',
    originHint: 'This route is for this machine alone.',
  }
  const door: Door | undefined = guards && {
    isAllowedHost: createHostGuard([...LOOPBACK_HOSTS, ...(guards.allowedHosts ?? [])]),
    isAllowedOrigin: createOriginGuard(guards.allowedOrigins ?? []),
    hostHint: 'Use its loopback name, or start it with --allowed-host.',
    originHint: 'Start it with --allowed-origin to let them.',
  }
  return function checkOuter(raw, { isLoopbackOnly, allowsEncodedSlash }) {
    const fault = guards && faultInPath(raw.target, allowsEncodedSlash)
    if (fault) throw new CallerError('path_shape', fault)
    const origin = isLoopbackOnly ? checkDoor(raw, loopback) : door && checkDoor(raw, door)
    return guards && origin
  }
}

interface Door {
  readonly isAllowedHost: HostGuard
  readonly isAllowedOrigin: OriginGuard
  readonly hostHint: string
  readonly originHint: string
}

function checkDoor(raw: RawRequest, door: Door): string | undefined {
  const hosts = raw.header('host')
  if (!door.isAllowedHost(hosts))
    throw new CallerError('host', `This server does not answer to that Host. ${door.hostHint}`)
  const origins = raw.header('origin')
  if (origins.length === 0) return undefined
  if (!door.isAllowedOrigin(origins, hosts[0] ?? ''))
    throw new CallerError('origin', `Pages of that Origin may not call this server. ${door.originHint}`)
  return origins[0]
}
