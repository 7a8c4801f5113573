import type { Client, McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client'
import type { Logger } from '@quire/kit/log'
import { backoffDelay } from './backoff.ts'
import type { Clock } from './clock.ts'

export interface ListenOptions {
  readonly signal: AbortSignal
  readonly ackMs: number
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  /** The stream was away for a while: what changed meanwhile was not told. */
  readonly onReopened: () => void
  /** The stream ended by itself: the server may be gone. */
  readonly onBroken: () => void
}

/** Holds one stream of change notifications open (protocol revision 2026-07-28) until the signal aborts. */
export async function keepListening(
  client: Client,
  filter: SubscriptionFilter,
  options: ListenOptions,
): Promise<void> {
  const { signal, clock, random, logger } = options
  let failures = 0
  let wasOpen = false
  while (!signal.aborted) {
    const subscription = await listen(client, filter, options)
    if (subscription) {
      failures = 0
      if (wasOpen) options.onReopened()
      wasOpen = true
      if ((await subscription.closed) === 'local') return
      logger.debug({ filter }, 'a stream of change notifications ended')
      options.onBroken()
    }
    failures += 1
    await clock.sleep(backoffDelay(failures, random), signal)
  }
}

async function listen(
  client: Client,
  filter: SubscriptionFilter,
  { signal, ackMs, logger }: ListenOptions,
): Promise<McpSubscription | undefined> {
  try {
    return await client.listen(filter, { signal, timeout: ackMs })
  } catch (error) {
    logger.debug({ err: error, filter }, 'a stream of change notifications could not be opened')
    return undefined
  }
}

/** Empty when the server tells of no changes. */
export function changeFilter(client: Client): SubscriptionFilter {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  }
}
