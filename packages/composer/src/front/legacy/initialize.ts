import { isRecord } from '@quire/mcp/json'
import type { GatewayClient, GatewayFace } from '../../gateway/gateway.ts'
import type { Params, RawJson, RpcError } from '../../rpc.ts'
import { CODES } from '../protocol/codes.ts'
import { isClientInfo } from '../protocol/message.ts'
import { LEGACY_REVISIONS, NEWEST_LEGACY } from '../protocol/revisions.ts'

export interface Initialized {
  readonly version: string
  readonly client: Omit<GatewayClient, 'principal'>
  readonly result: RawJson
}

const HINT =
  'initialize needs params with protocolVersion (a string), capabilities (an object) and clientInfo (name and version).'

/** Agrees on a revision: the one that was asked for, or our newest where that is unknown here. */
export function initialize(face: GatewayFace, params: Params): Initialized | { readonly error: RpcError } {
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string' || !isRecord(capabilities) || !isClientInfo(clientInfo))
    return { error: { code: CODES.invalidParams, message: HINT } }
  const version = LEGACY_REVISIONS.includes(protocolVersion) ? protocolVersion : NEWEST_LEGACY
  const { serverInfo, instructions } = face
  const result = {
    protocolVersion: version,
    capabilities: face.capabilities,
    serverInfo,
    ...(instructions !== undefined && { instructions }),
  }
  return {
    version,
    client: { era: 'legacy', capabilities, clientInfo },
    result: Buffer.from(JSON.stringify(result)),
  }
}
