import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import type { Kernel, Kernels } from '../kernel/kernel.ts'

/** What the API says of a kernel. */
export interface KernelModel {
  readonly id: string
  readonly name: string
  readonly last_activity: string
  readonly execution_state: string
  readonly connections: number
}

/** The kernels that were started, by id. */
export interface RunningKernels {
  readonly specs: Kernels['specs']
  /** The path is that of the notebook, or of what else it is for. */
  start(specName: string | undefined, path: string): KernelModel
  list(): readonly KernelModel[]
  has(id: string): boolean
  /** Throws 404. */
  get(id: string): KernelModel
  find(id: string): Kernel
  /** Counts a client, which is sent away when the kernel is gone; returns what is to be called when it leaves. */
  connect(id: string, sendAway: () => void): () => void
  remove(id: string): Promise<void>
  close(): Promise<void>
}

interface Running {
  readonly kernel: Kernel
  readonly name: string
  readonly connections: Set<() => void>
}

export interface RunningKernelsOptions {
  readonly kernels: Kernels
  readonly folder: string
  readonly most: number
  readonly logger: Logger
}

export function createRunningKernels({
  kernels,
  folder,
  most,
  logger,
}: RunningKernelsOptions): RunningKernels {
  const running = new Map<string, Running>()

  function start(specName: string | undefined, path: string): KernelModel {
    const name = specName ?? kernels.specs[0]?.name ?? ''
    if (!kernels.specs.some((spec) => spec.name === name))
      throw new CallerError('validation', `No such kernel named ${name}`, { status: 501 })
    if (running.size >= most)
      throw new CallerError(
        'unavailable',
        `${running.size} kernels are running, and no more can: shut some down.`,
      )
    const kernel = kernels.start({ specName: name, folder, path })
    const started = { kernel, name, connections: new Set<() => void>() }
    running.set(kernel.id, started)
    return toModel(started)
  }

  function get(id: string): Running {
    const found = running.get(id)
    if (!found) throw new CallerError('not_found', `Kernel does not exist: ${id}`)
    return found
  }

  async function remove(id: string): Promise<void> {
    const { kernel, connections } = get(id)
    running.delete(id)
    for (const sendAway of connections) sendAway()
    await kernel.close()
  }

  return Object.freeze({
    specs: kernels.specs,
    start,
    list: () => [...running.values()].map(toModel),
    has: (id: string) => running.has(id),
    get: (id: string) => toModel(get(id)),
    find: (id: string) => get(id).kernel,
    connect(id: string, sendAway: () => void) {
      const { connections } = get(id)
      connections.add(sendAway)
      return () => void connections.delete(sendAway)
    },
    remove,
    async close() {
      const ended = await Promise.allSettled([...running.keys()].map(remove))
      for (const end of ended)
        if (end.status === 'rejected') logger.error({ err: end.reason }, 'a kernel could not be closed')
    },
  })
}

function toModel({ kernel, name, connections }: Running): KernelModel {
  return {
    id: kernel.id,
    name,
    last_activity: kernel.lastActivity(),
    execution_state: kernel.state(),
    connections: connections.size,
  }
}
