import type { Logger } from '@quire/kit/log'
import type { Session } from './session.ts'

export interface ResourceSubscriptions {
  subscribe(uri: string): Promise<() => void>
  /** Tells a new session what the old one knew. */
  restore(session: Session): Promise<void>
}

interface Subscription {
  readonly end: AbortController
  holders: number
}

/** The resources that somebody wants to hear of; each is subscribed once, however many ask. */
export function createResourceSubscriptions(
  current: () => Session | undefined,
  logger: Logger,
): ResourceSubscriptions {
  const subscriptions = new Map<string, Subscription>()

  function release(uri: string, subscription: Subscription): void {
    subscription.holders -= 1
    if (subscription.holders > 0) return
    subscription.end.abort()
    subscriptions.delete(uri)
  }

  return Object.freeze({
    async subscribe(uri: string): Promise<() => void> {
      const known = subscriptions.get(uri)
      const subscription = known ?? { end: new AbortController(), holders: 0 }
      subscription.holders += 1
      if (!known) {
        subscriptions.set(uri, subscription)
        try {
          await current()?.subscribe(uri, subscription.end.signal)
        } catch (error) {
          release(uri, subscription)
          throw error
        }
      }
      let held = true
      return function unsubscribe(): void {
        if (held) release(uri, subscription)
        held = false
      }
    },
    async restore(session: Session): Promise<void> {
      for (const [uri, { end }] of subscriptions) {
        try {
          await session.subscribe(uri, end.signal)
        } catch (error) {
          logger.warn({ err: error, uri }, 'a resource could not be subscribed again')
        }
      }
    },
  })
}
