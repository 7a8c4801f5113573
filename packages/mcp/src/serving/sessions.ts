import { randomBytes } from 'node:crypto'
import {
  type McpServer,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Logger } from '@quire/kit/log'
import type { Caller } from './factory.ts'
import { watchSubscriptions } from './subscribed-resources.ts'

export interface SessionsOptions {
  readonly maxSessions: number
  readonly maxSessionsPerCaller: number
  readonly idleMs: number
  readonly keepAliveMs: number
  readonly logger: Logger
  readonly now: () => number
}

export interface ServedSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  /** The resources that its client wants to hear of. */
  readonly subscriptions: ReadonlySet<string>
  /** A session in use does not go stale. Returns what to call when the use is over. */
  use(): () => void
  close(): Promise<void>
}

export type OpenRefusal = 'full' | 'caller-full' | 'revoked'

export interface Sessions {
  count(): number
  /** Undefined for an id that is unknown, and for one of somebody else: the two look alike. */
  find(id: string, caller: Caller | undefined): ServedSession | undefined
  /** A session that has no id before its `initialize` is answered; without one it says why: whose limit was met, or that the caller's credential ended meanwhile. */
  open(
    caller: Caller | undefined,
    createServer: () => McpServer | Server | Promise<McpServer | Server>,
  ): Promise<ServedSession | OpenRefusal>
  all(): Iterable<ServedSession>
  close(): Promise<void>
}

interface Slot {
  readonly owner: string
  session?: ServedSession
  users: number
  usedAt: number
}

const ID_BYTES = 24

/** The sessions of the era that has them (up to 2025-11-25), each bound to the caller that opened it. */
export function createSessions(options: SessionsOptions): Sessions {
  const { maxSessions, maxSessionsPerCaller, idleMs, keepAliveMs, logger, now } = options
  // Taken before the server is made, so that a burst cannot pass the limit.
  const slots = new Set<Slot>()
  const byId = new Map<string, Slot>()
  let isClosed = false
  const timer = setInterval(expire, Math.max(1000, idleMs / 4)).unref()

  function expire(): void {
    for (const { session, users, usedAt } of slots) {
      if (session && users === 0 && now() - usedAt >= idleMs) void session.close()
    }
  }

  function refusal(owner: string): 'full' | 'caller-full' | undefined {
    if (slots.size >= maxSessions) expire()
    if (slots.size >= maxSessions) return 'full'
    const own = [...slots].filter((slot) => slot.owner === owner).length
    return own >= maxSessionsPerCaller ? 'caller-full' : undefined
  }

  async function open(
    caller: Caller | undefined,
    createServer: () => McpServer | Server | Promise<McpServer | Server>,
  ): Promise<ServedSession | OpenRefusal> {
    const owner = ownerOf(caller)
    const refused = refusal(owner)
    if (refused) return refused
    const slot: Slot = { owner, users: 0, usedAt: now() }
    slots.add(slot)
    try {
      const session = await createSession(slot, await createServer(), caller?.revoked)
      slot.session = session
      if (!isClosed && !caller?.revoked?.aborted) return session
      await session.close()
      return isClosed ? 'full' : 'revoked'
    } catch (error) {
      slots.delete(slot)
      throw error
    }
  }

  async function createSession(
    slot: Slot,
    product: McpServer | Server,
    revoked: AbortSignal | undefined,
  ): Promise<ServedSession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(ID_BYTES).toString('base64url'),
      onsessioninitialized: (id) => void byId.set(id, slot),
      keepAliveMs,
    })
    const close = async () => {
      try {
        await product.close()
      } catch (error) {
        logger.warn({ err: error }, 'an MCP session did not close cleanly')
      }
    }
    transport.onclose = () => {
      slots.delete(slot)
      if (transport.sessionId) byId.delete(transport.sessionId)
      revoked?.removeEventListener('abort', close)
    }
    transport.onerror = (error) => logger.debug({ err: error }, 'out-of-band error of an MCP session')
    await product.connect(transport)
    revoked?.addEventListener('abort', close, { once: true })
    const server = 'server' in product ? product.server : product
    const subscriptions = watchSubscriptions(transport)
    return Object.freeze({ transport, server, subscriptions, close, use: () => use(slot) })
  }

  function use(slot: Slot): () => void {
    slot.users += 1
    return function release(): void {
      slot.users -= 1
      slot.usedAt = now()
    }
  }

  function* all(): Iterable<ServedSession> {
    for (const { session } of slots) if (session) yield session
  }

  return Object.freeze({
    count: () => slots.size,
    find(id: string, caller: Caller | undefined): ServedSession | undefined {
      const slot = byId.get(id)
      return slot?.owner === ownerOf(caller) ? slot?.session : undefined
    },
    open,
    all,
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      await Promise.all([...all()].map((session) => session.close()))
    },
  })
}

/** Two keys of one subject with different scopes are two callers: a session must not lend the wider to the narrower. */
function ownerOf(caller: Caller | undefined): string {
  if (!caller) return ''
  return JSON.stringify([caller.subject, caller.scopes ? [...caller.scopes].sort() : null])
}
