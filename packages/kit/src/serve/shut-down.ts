import { closeAll } from '../close-all.ts'
import type { Listening } from './serve.ts'

/** Something that a server is made of, such as a service. */
export interface Part {
  /** Ends what would not end by itself: streams are told goodbye, workers take nothing more. Requests are still answered. */
  drain?(): void | Promise<void>
  /** Lets go of everything. */
  close(): void | Promise<void>
}

/**
 * The one order in which nothing is lost: no new requests, the streams end, the answers under way are finished, and only then what they stand on is closed.
 */
export async function shutDown(
  listening: Listening,
  parts: readonly Part[],
  graceMs?: number,
): Promise<void> {
  const drained = listening.close(graceMs)
  await closeAll([
    ...parts.map((part) => ({ close: () => part.drain?.() })),
    { close: () => drained },
    ...parts.toReversed(),
  ])
}
