import { randomBytes } from 'node:crypto'
import type { Principal } from '@quire/kit/auth/principal'
import { ownerOf } from '../protocol/owner.ts'

export interface SessionsOptions {
  readonly maxSessions: number
  readonly maxSessionsPerCaller: number
  readonly idleMs: number
  readonly now: () => number
}

/** What a transport keeps for a session, beside its place here. */
export interface Closable {
  close(): void
}

/** In use a session does not go stale. Returns what to call when the use is over. */
export type UseSession = () => () => void

export interface HeldSession<Kind extends Closable> {
  readonly id: string
  readonly held: Kind
  readonly use: UseSession
  readonly close: () => void
}

export type OpenRefusal = 'full' | 'caller-full' | 'revoked'

/** Sessions by id, each bound to the caller that opened it. */
export interface Sessions<Kind extends Closable> {
  count(): number
  /** Undefined for an id that is unknown, and for one of somebody else: the two look alike. */
  find(id: string, principal: Principal | undefined): HeldSession<Kind> | undefined
  open(principal: Principal | undefined, create: (use: UseSession) => Kind): HeldSession<Kind> | OpenRefusal
  all(): Iterable<Kind>
  close(): void
}

interface Slot<Kind extends Closable> extends HeldSession<Kind> {
  readonly owner: string
  readonly principal: Principal | undefined
  readonly usage: { users: number; usedAt: number }
}

const ID_BYTES = 24
const MIN_EXPIRY_MS = 1000

export function createSessions<Kind extends Closable>(options: SessionsOptions): Sessions<Kind> {
  const { maxSessions, maxSessionsPerCaller, idleMs, now } = options
  const slots = new Map<string, Slot<Kind>>()
  const timer = setInterval(expire, Math.max(MIN_EXPIRY_MS, idleMs / 4)).unref()

  function expire(): void {
    for (const { usage, close } of slots.values()) {
      if (usage.users === 0 && now() - usage.usedAt >= idleMs) close()
    }
  }

  function refusal(owner: string, principal: Principal | undefined): OpenRefusal | undefined {
    if (principal?.revoked?.aborted) return 'revoked'
    if (slots.size >= maxSessions) expire()
    if (slots.size >= maxSessions) return 'full'
    let own = 0
    for (const slot of slots.values()) if (slot.owner === owner) own += 1
    return own >= maxSessionsPerCaller ? 'caller-full' : undefined
  }

  function open(
    principal: Principal | undefined,
    create: (use: UseSession) => Kind,
  ): HeldSession<Kind> | OpenRefusal {
    const owner = ownerOf(principal)
    const refused = refusal(owner, principal)
    if (refused) return refused
    const id = randomBytes(ID_BYTES).toString('base64url')
    const usage = { users: 0, usedAt: now() }
    const held = create(use)
    const slot: Slot<Kind> = { id, held, owner, principal, usage, use, close }
    slots.set(id, slot)
    principal?.revoked?.addEventListener('abort', close, { once: true })
    return slot

    function use(): () => void {
      usage.users += 1
      return function release() {
        usage.users -= 1
        usage.usedAt = now()
      }
    }

    function close(): void {
      if (!slots.delete(id)) return
      principal?.revoked?.removeEventListener('abort', close)
      held.close()
    }
  }

  return Object.freeze({
    count: () => slots.size,
    find(id: string, principal: Principal | undefined) {
      const slot = slots.get(id)
      if (!slot || (slot.principal !== principal && slot.owner !== ownerOf(principal))) return undefined
      slot.usage.usedAt = now()
      return slot
    },
    open,
    *all() {
      for (const { held } of slots.values()) yield held
    },
    close() {
      clearInterval(timer)
      for (const slot of [...slots.values()]) slot.close()
    },
  })
}
