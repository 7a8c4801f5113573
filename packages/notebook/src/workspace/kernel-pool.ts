import type { Logger } from '@quire/kit/log'
import type { KernelConnection, KernelState } from '../upstream/kernel/kernel-connection.ts'

/** One open connection for each kernel that is used, however many notebooks and callers use it. */
export interface KernelPool {
  /** Opens it, or waits for whoever is opening it. */
  connection(kernelId: string, signal?: AbortSignal): Promise<KernelConnection>
  /** Whether it is connected to a kernel that lives: no need to ask the server then. */
  isLive(kernelId: string): boolean
  /** Closes the connection; the kernel goes on. */
  forget(kernelId: string): Promise<void>
  close(): Promise<void>
}

export interface KernelPoolOptions {
  readonly open: (kernelId: string) => Promise<KernelConnection>
  /** Whether a notebook has this kernel. The connection to one that none has is closed when it has not been used for a while: an open one keeps the server from culling the kernel. */
  readonly isInUse: (kernelId: string) => boolean
  readonly logger: Logger
  readonly maxConnections?: number
  readonly idleMs?: number
}

interface Entry {
  readonly opening: Promise<KernelConnection>
  connection?: KernelConnection
  usedAt: number
}

const MAX_CONNECTIONS = 200
const IDLE_MS = 60_000
const LIVE: ReadonlySet<KernelState> = new Set(['idle', 'busy'])

/** Past the bound the connection that was longest unused makes room, if nothing runs on it. */
export function createKernelPool(options: KernelPoolOptions): KernelPool {
  const { open, isInUse, logger, maxConnections = MAX_CONNECTIONS, idleMs = IDLE_MS } = options
  const entries = new Map<string, Entry>()
  const timer = setInterval(closeIdle, idleMs / 2).unref()

  function closeIdle(): void {
    for (const [kernelId, { connection, usedAt }] of entries) {
      const isIdle = performance.now() - usedAt >= idleMs && connection?.state() !== 'busy'
      if (connection && isIdle && !isInUse(kernelId)) void forget(kernelId)
    }
  }

  async function forget(kernelId: string): Promise<void> {
    const entry = entries.get(kernelId)
    entries.delete(kernelId)
    try {
      await (await entry?.opening)?.close()
    } catch (error) {
      logger.debug({ err: error, kernel: kernelId }, 'a kernel connection did not close cleanly')
    }
  }

  async function makeRoom(): Promise<void> {
    if (entries.size < maxConnections) return
    const [oldest] = [...entries]
      .filter(([, { connection }]) => connection?.state() !== 'busy')
      .sort(([, one], [, other]) => one.usedAt - other.usedAt)
    if (oldest) await forget(oldest[0])
  }

  function add(kernelId: string): Entry {
    const entry: Entry = { opening: open(kernelId), usedAt: performance.now() }
    entries.set(kernelId, entry)
    entry.opening.then(
      (connection) => {
        entry.connection = connection
      },
      () => entries.get(kernelId) === entry && entries.delete(kernelId),
    )
    return entry
  }

  return Object.freeze({
    async connection(kernelId: string, signal?: AbortSignal) {
      signal?.throwIfAborted()
      if (!entries.has(kernelId)) await makeRoom()
      const entry = entries.get(kernelId) ?? add(kernelId)
      entry.usedAt = performance.now()
      return entry.opening
    },
    isLive: (kernelId: string) => LIVE.has(entries.get(kernelId)?.connection?.state() ?? 'unknown'),
    forget,
    async close() {
      clearInterval(timer)
      await Promise.all([...entries.keys()].map(forget))
    },
  })
}
