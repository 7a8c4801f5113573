import type { Principal } from '@quire/kit/auth/principal'
import type { Gateway } from '../../gateway/gateway.ts'
import type { FrontSettings } from '../front-options.ts'
import type { StreamSlots } from '../http/stream-slots.ts'
import { ownerOf } from '../protocol/owner.ts'
import { FIRST_PRIMED } from '../protocol/revisions.ts'
import { createSession, type Session } from './session.ts'
import { createSessionStreams, type SessionStreams } from './session-streams.ts'
import type { UseSession } from './sessions.ts'

export interface HttpSession extends Session {
  streams(): SessionStreams
}

export interface HttpSessionOptions extends FrontSettings {
  readonly gateway: Gateway
  readonly slots: StreamSlots
  readonly principal: Principal | undefined
  readonly use: UseSession
}

/** A session over streamable HTTP. */
export function createHttpSession(options: HttpSessionOptions): HttpSession {
  const { slots, principal, use } = options
  const session = createSession({ ...options, tell: (message) => streams().tell(message) })
  const owner = ownerOf(principal)
  let opened: SessionStreams | undefined

  /** Made when first used: the revision is agreed on by then, and many sessions need none. */
  function streams(): SessionStreams {
    const isPrimed = (session.version() ?? '') >= FIRST_PRIMED
    opened ??= createSessionStreams({ ...options, isPrimed, takeSlot })
    return opened
  }

  function takeSlot(): (() => void) | undefined {
    const giveBack = slots.take(owner)
    if (!giveBack) return undefined
    const release = use()
    return function giveBackAll() {
      release()
      giveBack()
    }
  }

  return Object.freeze({
    ...session,
    streams,
    close() {
      session.close()
      opened?.close()
    },
  })
}
