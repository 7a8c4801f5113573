import type { Logger } from '@quire/kit/log'
import type { Params } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import type { GatewayClient } from './gateway.ts'

/** Which servers a client has to do with, so that only they hear what it tells everybody. */
export interface CalledServers {
  add(client: GatewayClient, server: string): void
  tell(client: GatewayClient, method: string, params: Params): void
}

const ROOTS_CHANGED = 'notifications/roots/list_changed'
const MAX_SERVERS = 64

export function createCalledServers(options: {
  readonly find: (server: string) => SupervisedServer | undefined
  readonly logger: Logger
}): CalledServers {
  const called = new WeakMap<GatewayClient, Set<string>>()

  return Object.freeze({
    add(client, server) {
      // A client without a session is gone when it has its answer.
      if (client.era === 'modern') return
      const servers = called.get(client) ?? new Set()
      called.set(client, servers.add(server))
      const [first] = servers
      if (servers.size > MAX_SERVERS && first !== undefined) servers.delete(first)
    },
    tell(client, method, params) {
      if (method !== ROOTS_CHANGED) return
      for (const name of called.get(client) ?? []) {
        const link = options.find(name)?.link()
        if (link?.eraFor(client.era) !== 'legacy') continue
        link
          .notify(method, params)
          .catch((error: unknown) =>
            options.logger.debug({ err: error, server: name }, 'a server did not hear of changed roots'),
          )
      }
    },
  } satisfies CalledServers)
}
