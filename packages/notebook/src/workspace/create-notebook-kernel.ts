import type { Hooks } from '../hooks/hooks.ts'
import { ToolError } from '../tool-error.ts'
import type { KernelModel } from '../upstream/kernels.ts'
import type { Session } from '../upstream/sessions.ts'
import type { Servers } from '../workbench/servers.ts'
import type { KernelStatus } from '../workbench/workbench.ts'
import type { NotebookKernel, ReadyKernel } from './notebook-kernel.ts'

export interface NotebookKernelOptions {
  readonly servers: Pick<Servers, 'kernels' | 'sessions' | 'pool' | 'users' | 'isOne'>
  readonly hooks: Hooks
  /** Of the notebook; absent for a kernel that belongs to none. */
  readonly path?: string
  /** A running kernel to work in. */
  readonly kernelId?: string | undefined
  /** The kernelspec to start, when one must be started. Undefined: what the server prefers. */
  readonly preferredName?: (signal?: AbortSignal) => Promise<string | undefined>
}

interface Bound {
  readonly kernelId: string
  readonly kernelName: string
}

/** Of a kernel that we were told to use. */
const UNKNOWN = 'unknown'
/** A kernel that has spoken within this time is believed to live without a question to the server. */
const FRESH_MS = 1_000

export function createNotebookKernel(options: NotebookKernelOptions): NotebookKernel {
  const { servers, hooks, preferredName } = options
  const { kernels, sessions, pool, users } = servers
  let path = options.path
  let bound: Bound | undefined
  let binding: Promise<string[]> | undefined
  let isReleased = false
  /** A kernel that is gone, until the caller has been told of what came in its place. */
  let lost: string | undefined
  if (options.kernelId !== undefined) bind({ kernelId: options.kernelId, kernelName: UNKNOWN })

  /** A notebook has a session only on the server that stores it: elsewhere the same path is somebody else's file. */
  const sessionPath = () => (servers.isOne ? path : undefined)

  function bind(next: Bound): void {
    bound = Object.freeze(next)
    users.enter(next.kernelId)
  }

  /** Lets the kernel go, and shuts it down if it is ours and nobody works in it any more. */
  async function unbind(): Promise<{ shutDown: boolean }> {
    const last = bound
    bound = undefined
    const shutDown = last && users.leave(last.kernelId)
    if (!last || !shutDown) return { shutDown: false }
    // A kernel that somebody else is connected to is theirs as well by now.
    const connections = (await look(last.kernelId))?.connections ?? 0
    await pool.forget(last.kernelId)
    if (connections > 1) return { shutDown: false }
    // Its session can be gone before it: then there is nothing left to end.
    await orGone(shutDown())
    await hooks.kernelLifecycle({ event: 'stopped', ...last })
    return { shutDown: true }
  }

  async function adopt(signal?: AbortSignal): Promise<string | undefined> {
    const where = sessionPath()
    if (bound || where === undefined) return bound?.kernelId
    const session = await sessions.find(where, signal)
    if (!session) return undefined
    bind({ kernelId: session.kernel.id, kernelName: session.kernel.name })
    await tellLifecycle('adopted')
    return session.kernel.id
  }

  async function start(signal?: AbortSignal): Promise<string> {
    const name = await preferredName?.(signal)
    const { kernel, shutDown } = await startKernel(name, signal)
    if (shutDown) users.started(kernel.id, shutDown)
    bind({ kernelId: kernel.id, kernelName: kernel.name })
    if (isReleased) {
      await unbind()
      throw new ToolError(
        'conflict',
        'The notebook was let go while its kernel started. Open it again with use_notebook.',
      )
    }
    await tellLifecycle('started')
    return kernel.id
  }

  async function startKernel(name: string | undefined, signal?: AbortSignal) {
    const where = sessionPath()
    if (where === undefined) {
      const kernel = await kernels.start({ name }, signal)
      return { kernel, shutDown: () => kernels.shutdown(kernel.id) }
    }
    const before = new Set((await kernels.list(signal)).map(({ id }) => id))
    const { id, kernel } = await createSession(where, name, before, signal)
    // A person can be quicker: the server then answers with the session that is there.
    return { kernel, shutDown: before.has(kernel.id) ? undefined : () => sessions.delete(id) }
  }

  /** When the answer is lost, the kernel is there all the same, and nobody else would end it. */
  async function createSession(
    where: string,
    kernelName: string | undefined,
    before: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<Session> {
    try {
      return await sessions.create({ path: where, kernelName }, signal)
    } catch (error) {
      // A second failure adds nothing to the first, which is what the caller is told.
      const found = await sessions.find(where).catch(() => undefined)
      if (!found || before.has(found.kernel.id)) throw error
      return found
    }
  }

  /** Returns what the caller must be told. */
  async function findOrStart(signal?: AbortSignal): Promise<string[]> {
    lost = bound?.kernelId ?? lost
    if (bound) await forget(bound.kernelId)
    const adopted = await adoptLiving(lost, signal)
    const kernelId = adopted ?? (await start(signal))
    if (lost === undefined)
      return adopted ? [] : [`[Started kernel '${kernelId}' (${bound?.kernelName ?? UNKNOWN}).]`]
    await tellLifecycle('replaced')
    const gone = lost
    lost = undefined
    return [
      `[KERNEL REPLACED: kernel '${gone}' is gone (it died, was shut down or was culled). Kernel '${kernelId}' ${adopted ? 'is what the notebook is attached to now' : 'was started in its place'}: all variables are lost, so run the cells that define them again.]`,
    ]
  }

  /** There is nothing left to shut down. */
  async function forget(kernelId: string): Promise<void> {
    users.leave(kernelId)
    bound = undefined
    await pool.forget(kernelId)
  }

  /** A session can still name the kernel that is gone. */
  async function adoptLiving(lostId: string | undefined, signal?: AbortSignal): Promise<string | undefined> {
    const found = await adopt(signal)
    if (found === undefined || (found !== lostId && (await look(found, signal)))) return found
    await forget(found)
    return undefined
  }

  /** Of a kernel that has really died the server knows nothing any more; what state it names, code in the kernel can have made up. */
  async function look(kernelId: string, signal?: AbortSignal): Promise<KernelModel | undefined> {
    return orGone(kernels.get(kernelId, signal))
  }

  async function isAlive(kernelId: string, signal?: AbortSignal): Promise<boolean> {
    const connection = await orGone(pool.connection(kernelId, signal))
    const state = connection?.state() ?? 'dead'
    const isKnown = state !== 'dead' && state !== 'unknown'
    if (isKnown && (connection?.quietMs() ?? 0) < FRESH_MS) return true
    // Code in a kernel can say anything of it: what the server says counts.
    if ((await look(kernelId, signal)) === undefined) return false
    if (state === 'dead') await pool.forget(kernelId)
    return true
  }

  async function ready(signal?: AbortSignal): Promise<ReadyKernel> {
    let notes: readonly string[] = []
    if (!bound || !(await isAlive(bound.kernelId, signal))) {
      // Callers that come at once share one kernel, so that none of them can cancel it for the others; all of them are told.
      binding ??= findOrStart().finally(() => {
        binding = undefined
      })
      notes = await binding
    }
    const kernelId = requireId()
    return Object.freeze({
      kernelId,
      connection: await pool.connection(kernelId, signal),
      interrupt: () => kernels.interrupt(kernelId),
      notes,
    })
  }

  function requireId(): string {
    if (bound) return bound.kernelId
    throw new ToolError(
      'not_found',
      'No kernel has been started for this notebook yet. Execute a cell first.',
    )
  }

  async function attach(kernelId: string, signal?: AbortSignal): Promise<{ shutDown: string | undefined }> {
    const kernel = await look(kernelId, signal)
    if (!kernel) {
      throw new ToolError(
        'not_found',
        `Kernel '${kernelId}' not found. See list_kernels for the ones that run.`,
      )
    }
    if (bound?.kernelId === kernelId) return { shutDown: undefined }
    await offerSession(kernelId, signal)
    const previous = bound?.kernelId
    const { shutDown } = await unbind()
    lost = undefined
    bind({ kernelId, kernelName: kernel.name })
    await tellLifecycle('adopted')
    return { shutDown: shutDown ? previous : undefined }
  }

  /**
   * A session that is there already keeps its kernel: to point it elsewhere would shut that one down under its owner. A kernel that has a session
   * already gets no second one: whoever ends that would end the kernel for both.
   */
  async function offerSession(kernelId: string, signal?: AbortSignal): Promise<void> {
    const where = sessionPath()
    if (where === undefined) return
    const known = await sessions.list(signal)
    if (known.some(({ path: taken, kernel }) => taken === where || kernel.id === kernelId)) return
    await sessions.create({ path: where, kernelId }, signal)
  }

  async function status(signal?: AbortSignal): Promise<KernelStatus> {
    if (!bound) return 'not_initialized'
    try {
      const { kernelId } = bound
      if (await look(kernelId, signal)) return 'alive'
      // The server keeps a connection open to a kernel that is gone.
      await pool.forget(kernelId)
      return 'dead'
    } catch (error) {
      return error instanceof ToolError && error.code === 'unreachable' ? 'unknown' : 'error'
    }
  }

  async function restart(signal?: AbortSignal) {
    const kernelId = requireId()
    if (await look(kernelId, signal)) {
      await kernels.restart(kernelId, signal)
      await tellLifecycle('restarted')
      return { kernelId, replaced: false }
    }
    await findOrStart(signal)
    return { kernelId: requireId(), replaced: true }
  }

  async function tellLifecycle(event: 'started' | 'adopted' | 'restarted' | 'replaced'): Promise<void> {
    if (bound) await hooks.kernelLifecycle({ event, ...bound })
  }

  return Object.freeze({
    id: () => bound?.kernelId,
    kernelName: () => bound?.kernelName,
    status,
    adopt,
    attach,
    ready,
    interrupt: async (signal?: AbortSignal) => kernels.interrupt(requireId(), signal),
    restart,
    async moveTo(next: string, signal?: AbortSignal) {
      const where = sessionPath()
      const session = where === undefined ? undefined : await sessions.find(where, signal)
      if (session) await sessions.move(session.id, next, signal)
      path = next
    },
    async cull() {
      lost = bound?.kernelId ?? lost
      await unbind()
    },
    release() {
      isReleased = true
      return unbind()
    },
  })
}

/** Undefined for what the server does not know any more. */
async function orGone<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') return undefined
    throw error
  }
}
