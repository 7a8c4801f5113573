import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client'
import type { Era } from '@quire/mcp/connection/era'
import { isRecord } from '@quire/mcp/json'
import type { Asker, ClientInfo, Params } from '../rpc.ts'

const DEFAULT_LEVEL = 'info'

export type ProgressToken = string | number

/** How requests travel on one link. */
export interface Speech {
  readonly era: Era
  readonly protocolVersion: string
  /** Ours, for askers without a name. */
  readonly clientInfo: ClientInfo
}

/** What the asker calls its request in progress messages, if it wants any. */
export function progressTokenOf({ _meta }: Params): ProgressToken | undefined {
  const token = isRecord(_meta) ? _meta.progressToken : undefined
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}

/** The params as the server gets them: the words of its era about who asks, our progress token, and all else as it was. */
export function toOutgoingParams(
  params: Params,
  asker: Asker,
  token: ProgressToken | undefined,
  speech: Speech,
): Params {
  if (params._meta === undefined && speech.era === 'legacy') return params
  const { _meta: given, ...rest } = params
  if (given !== undefined && !isRecord(given)) return params
  const { progressToken, ...meta } = given ?? {}
  const own = token === undefined ? {} : { progressToken: token }
  if (speech.era === 'modern') {
    return {
      ...rest,
      _meta: {
        // Servers of this era say nothing of what they were not asked to say.
        ...(asker.era === 'legacy' &&
          asker.notify && { [LOG_LEVEL_META_KEY]: asker.logLevel ?? DEFAULT_LEVEL }),
        ...meta,
        ...own,
        [PROTOCOL_VERSION_META_KEY]: speech.protocolVersion,
        [CLIENT_INFO_META_KEY]: asker.clientInfo ?? speech.clientInfo,
        [CLIENT_CAPABILITIES_META_KEY]: asker.capabilities,
      },
    }
  }
  const _meta: Record<string, unknown> = { ...meta, ...own }
  for (const key of ENVELOPE_KEYS) delete _meta[key]
  return Object.keys(_meta).length === 0 ? rest : { ...rest, _meta }
}

const ENVELOPE_KEYS = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY] as const
