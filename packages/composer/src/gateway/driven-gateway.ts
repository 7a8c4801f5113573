import type { ListedKind } from './changes.ts'
import type { Gateway } from './gateway.ts'

/** A gateway, and what it has to be told by whoever watches its servers. */
export interface DrivenGateway extends Gateway {
  /** A list is another one now. Clients hear of it, of a burst of changes once. */
  changed(kind: ListedKind): void
  resourceUpdated(server: string, uri: string): void
  /** A server has come to run, for the first time or again: subscriptions are made anew. */
  linkReplaced(server: string): void
  /** Cancels calls that wait for their client, and lets go of subscriptions. */
  close(): void
}
