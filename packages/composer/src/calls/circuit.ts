import type { CallLimits } from '../server-definition.ts'
import type { CallStatus } from './calls.ts'

/** Leaves a server alone for a while once it has failed too often. */
export interface Circuit {
  readonly state: CallStatus['circuit']
  /** `trial`: the one call by which it is seen whether the server is well again. A number: refused, for so many milliseconds to come. */
  enter(link: object | undefined): 'call' | 'trial' | number
  answered(): void
  /** Over which link, if there was one. */
  failed(isTrial: boolean, link: object | undefined, limits: CallLimits): void
  /** A call that says nothing about the server: its caller went away, or it never began. */
  left(isTrial: boolean): void
}

export function createCircuit(now: () => number): Circuit {
  let failures = 0
  let openUntil: number | undefined
  let failedLink: object | undefined
  let isTrying = false

  function enter(link: object | undefined): 'call' | 'trial' | number {
    if (openUntil === undefined) return 'call'
    const restMs = openUntil - now()
    // A server that was started anew since is not the one that failed.
    const isNew = link !== undefined && link !== failedLink
    if (isTrying || (restMs > 0 && !isNew)) return Math.max(0, restMs)
    isTrying = true
    return 'trial'
  }

  return Object.freeze({
    get state() {
      if (openUntil === undefined) return 'closed'
      return isTrying || now() >= openUntil ? 'half-open' : 'open'
    },
    enter,
    answered(): void {
      failures = 0
      openUntil = undefined
      failedLink = undefined
      isTrying = false
    },
    failed(isTrial: boolean, link: object | undefined, { breakerFailures, breakerOpenMs }: CallLimits): void {
      failures += 1
      failedLink = link
      if (isTrial) isTrying = false
      const isOpen = breakerFailures > 0 && (isTrial || failures >= breakerFailures)
      if (isOpen) openUntil = now() + breakerOpenMs
    },
    left(isTrial: boolean): void {
      if (isTrial) isTrying = false
    },
  })
}
