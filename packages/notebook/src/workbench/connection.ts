import type { Logger } from '@quire/kit/log'
import type { ConnectionTargets } from '../connection-targets.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { RoomHost } from '../live-route/room-host.ts'
import type { PathFence } from '../path-fence.ts'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { FIRST_NAME } from '../workspace/view.ts'
import type { Servers } from './servers.ts'

/** The notebook servers that are in use now. */
export interface Connection {
  /** Nothing of it is loaded before the first tool is called: a client waits for the list of tools. */
  servers(): Promise<Servers>
  /** The notebook that is open from the start; to be asked for when there are servers. */
  openFirst(): ManagedNotebook | undefined
  /** Takes the new servers if they answer. Returns how to let the old ones go. */
  replace(targets: ConnectionTargets): Promise<() => Promise<void>>
  close(): Promise<void>
}

export interface ConnectionDeps {
  readonly logger: Logger
  readonly fence: PathFence
  readonly hooks: Hooks
  readonly roomHost?: RoomHost | undefined
}

export function createConnection(first: ConnectionTargets, deps: ConnectionDeps): Connection {
  const { logger, fence, hooks } = deps
  if (first.documentId !== undefined) fence.check(first.documentId)
  let loading: Promise<Servers> | undefined
  let openFirst: () => ManagedNotebook | undefined = () => undefined

  async function load(targets: ConnectionTargets): Promise<Servers> {
    const { createServers } = await import('./create-servers.ts')
    return createServers(targets, { logger, roomHost: deps.roomHost })
  }

  async function adopt(servers: Servers): Promise<Servers> {
    const { openNotebook } = await import('../workspace/open-notebook.ts')
    const { documentId, kernelId } = servers.targets
    openFirst = () =>
      documentId === undefined
        ? undefined
        : openNotebook(servers, hooks, { name: FIRST_NAME, path: fence.check(documentId), kernelId })
    return servers
  }

  function servers(): Promise<Servers> {
    loading ??= load(first).then(adopt)
    return loading
  }

  async function replace(targets: ConnectionTargets): Promise<() => Promise<void>> {
    const next = await load(targets)
    try {
      const { documentId } = targets
      const path = documentId === undefined ? undefined : fence.check(documentId)
      await next.check()
      if (path !== undefined) await next.contents.get(path, { content: false })
    } catch (error) {
      await next.close()
      throw error
    }
    const old = loading
    loading = adopt(next)
    await loading
    return async () => (await old)?.close()
  }

  return Object.freeze({
    servers,
    openFirst: () => openFirst(),
    replace,
    close: async () => (await loading)?.close(),
  })
}
