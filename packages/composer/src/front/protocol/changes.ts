import type { GatewayChange } from '../../gateway/gateway.ts'
import type { Params } from '../../rpc.ts'
import { encodeNotification } from './encode.ts'

/** What clients are told of a change. */
export function toNotification(change: GatewayChange, meta?: Params): Buffer {
  const _meta = meta && { _meta: meta }
  if (change.type === 'resource')
    return encodeNotification('notifications/resources/updated', { uri: change.uri, ..._meta })
  return encodeNotification(`notifications/${change.type}/list_changed`, _meta)
}
