import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import type { Link } from '../link/link.ts'
import { RpcFault } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from './rpc-codes.ts'
import { toRpcFault } from './rpc-failure.ts'

/** One subscription at a server for all clients that want to hear of the same resource. */
export interface Subscriptions {
  /** Rejects with an `RpcFault` where the server offers none. Returns how to let go. */
  add(server: SupervisedServer, uri: string): Promise<() => void>
  has(server: string): boolean
  /** Subscribes again at the server's new link. */
  renew(server: SupervisedServer): void
  close(): void
}

interface Subscription {
  readonly server: string
  readonly uri: string
  readonly control: AbortController
  holders: number
  link: Link | undefined
  ready: Promise<void>
}

const MAX_SUBSCRIPTIONS = 10_000
const SUBSCRIBE_MS = 30_000

export function createSubscriptions({ logger }: { readonly logger: Logger }): Subscriptions {
  const held = new Map<string, Subscription>()

  async function subscribe(subscription: Subscription, server: SupervisedServer): Promise<void> {
    const { control, uri } = subscription
    const deadline = AbortSignal.any([control.signal, AbortSignal.timeout(SUBSCRIBE_MS)])
    const link = await server.use(deadline)
    if (link === subscription.link) return
    const { resources } = link.info().capabilities
    if (!isRecord(resources) || !resources.subscribe)
      throw new RpcFault(METHOD_NOT_FOUND, `Server "${server.name}" offers no subscriptions to resources.`)
    subscription.link = link
    await link.subscribe(uri, control.signal)
  }

  function begin(server: SupervisedServer, uri: string): Subscription {
    if (held.size >= MAX_SUBSCRIPTIONS)
      throw new RpcFault(
        INTERNAL_ERROR,
        `There are ${MAX_SUBSCRIPTIONS} subscriptions already. End one first.`,
      )
    const subscription: Subscription = {
      server: server.name,
      uri,
      control: new AbortController(),
      holders: 0,
      link: undefined,
      ready: Promise.resolve(),
    }
    held.set(toKey(server.name, uri), subscription)
    subscription.ready = subscribe(subscription, server)
    return subscription
  }

  function letGo(subscription: Subscription): void {
    subscription.holders -= 1
    if (subscription.holders > 0) return
    const key = toKey(subscription.server, subscription.uri)
    if (held.get(key) === subscription) held.delete(key)
    subscription.control.abort()
  }

  return Object.freeze({
    async add(server, uri) {
      const subscription = held.get(toKey(server.name, uri)) ?? begin(server, uri)
      subscription.holders += 1
      try {
        await subscription.ready
      } catch (error) {
        letGo(subscription)
        throw toRpcFault(error, logger, server.name)
      }
      let isHeld = true
      return () => {
        if (isHeld) letGo(subscription)
        isHeld = false
      }
    },
    has: (server) => held.values().some((subscription) => subscription.server === server),
    renew(server) {
      for (const subscription of held.values()) {
        if (subscription.server !== server.name || subscription.link === undefined) continue
        subscribe(subscription, server).catch((error: unknown) => {
          // Its holders keep waiting: the next link is another chance.
          if (!subscription.control.signal.aborted)
            logger.warn({ err: error, server: server.name }, 'a subscription could not be renewed')
        })
      }
    },
    close() {
      for (const { control } of held.values()) control.abort()
      held.clear()
    },
  } satisfies Subscriptions)
}

function toKey(server: string, uri: string): string {
  return `${server} ${uri}`
}
