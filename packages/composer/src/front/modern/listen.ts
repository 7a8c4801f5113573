import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import type { Gateway, GatewayChange, GatewayClient } from '../../gateway/gateway.ts'
import type { Params, RpcError } from '../../rpc.ts'
import { toNotification } from '../protocol/changes.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeMessage, encodeNotification } from '../protocol/encode.ts'
import { grantSubscription } from '../protocol/grant.ts'
import type { RpcId } from '../protocol/message.ts'
import { SERVER_INFO_KEY, SUBSCRIPTION_KEY } from '../protocol/revisions.ts'

/** What a client wants to hear of, in the protocol's own words. */
export interface ListenFilter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}

export interface ListenOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly client: GatewayClient
  /** Of the request, and so of the subscription. */
  readonly id: RpcId
  readonly filter: ListenFilter
  readonly send: (message: Buffer) => void
  /** Called once after a graceful end: nothing more will be sent. */
  readonly onEnd: () => void
}

/** A subscription of the era without sessions. */
export interface Listening {
  /** With a last message that says so. */
  end(): void
  /** The client is gone. */
  drop(): void
}

const MAX_URIS = 1000
const FLAGS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const

export function readFilter(params: Params): ListenFilter | RpcError {
  const { notifications } = params
  const uris = isRecord(notifications) ? (notifications.resourceSubscriptions ?? []) : undefined
  const isFit =
    isRecord(notifications) &&
    FLAGS.every((flag) => notifications[flag] === undefined || typeof notifications[flag] === 'boolean') &&
    Array.isArray(uris) &&
    uris.length <= MAX_URIS &&
    uris.every((uri) => typeof uri === 'string')
  if (!isFit) {
    const message = `subscriptions/listen needs notifications: toolsListChanged, promptsListChanged and resourcesListChanged are true or false, resourceSubscriptions is a list of up to ${MAX_URIS} URIs.`
    return { code: CODES.invalidParams, message }
  }
  const flags = FLAGS.filter((flag) => notifications[flag] === true)
  return {
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

/** First tells what of the wish is granted, then every change of that; ends at once when nothing is. */
export function listen(options: ListenOptions): Listening {
  const { gateway, id, send, onEnd } = options
  const mark = { [SUBSCRIPTION_KEY]: id }
  const releases: (() => void)[] = []
  let isOver = false
  void begin()

  async function begin(): Promise<void> {
    const granted = await grant(options, keep)
    if (isOver) return
    send(
      encodeNotification('notifications/subscriptions/acknowledged', { _meta: mark, notifications: granted }),
    )
    const uris = new Set(granted.resourceSubscriptions)
    if (Object.keys(granted).length === 0) end()
    else
      keep(
        gateway.onChange((change) => isWanted(change, granted, uris) && send(toNotification(change, mark))),
      )
  }

  function keep(release: () => void): void {
    if (isOver) release()
    else releases.push(release)
  }

  function drop(): void {
    isOver = true
    for (const release of releases.splice(0)) release()
  }

  function end(): void {
    if (isOver) return
    drop()
    const _meta = { ...mark, [SERVER_INFO_KEY]: gateway.face().serverInfo }
    send(encodeMessage({ id, result: { resultType: 'complete', _meta } }))
    onEnd()
  }

  return Object.freeze({ end, drop })
}

async function grant(
  { gateway, logger, client, filter }: ListenOptions,
  keep: (release: () => void) => void,
): Promise<ListenFilter> {
  const { tools, prompts, resources } = gateway.face().capabilities
  const changes = { toolsListChanged: tools, promptsListChanged: prompts, resourcesListChanged: resources }
  const flags = FLAGS.filter((flag) => filter[flag] && offers(changes[flag], 'listChanged'))
  const wanted = offers(resources, 'subscribe') ? (filter.resourceSubscriptions ?? []) : []
  const granted = new Set<string>()
  const asked = [...new Set(wanted)].map(async (uri) => {
    try {
      keep(await grantSubscription(gateway, client, uri))
      granted.add(uri)
    } catch (error) {
      logger.debug({ err: error }, 'a subscription of an MCP client was not granted')
    }
  })
  await Promise.all(asked)
  return {
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(granted.size > 0 && { resourceSubscriptions: [...granted] }),
  }
}

function offers(capability: unknown, what: string): boolean {
  return isRecord(capability) && capability[what] === true
}

function isWanted(change: GatewayChange, filter: ListenFilter, uris: ReadonlySet<string>): boolean {
  return change.type === 'resource' ? uris.has(change.uri) : filter[`${change.type}ListChanged`] === true
}
