import { classifyInboundRequest } from '@modelcontextprotocol/server'
import { isRecord } from '@quire/mcp/json'
import type { RpcError } from '../../rpc.ts'
import { isLogLevel } from './log-levels.ts'
import { isRequest, isRpcId, type RpcNotification, type RpcRequest } from './message.ts'
import {
  CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LEGACY_REVISIONS,
  LOG_LEVEL_KEY,
  MODERN_REVISION,
  VERSION_KEY,
} from './revisions.ts'

/** Headers that mirror the body, as they came; stdio has none. */
export interface MirrorHeaders {
  readonly version?: string | undefined
  readonly method?: string | undefined
  readonly name?: string | undefined
}

export type Verdict =
  | { readonly kind: 'legacy' }
  | {
      readonly kind: 'modern'
      readonly message: RpcRequest | RpcNotification
      readonly revision: string | undefined
    }
  | { readonly kind: 'refused'; readonly status: number; readonly error: RpcError }

/** To which era the body of a POST belongs. */
export type Classify = (body: unknown, headers: MirrorHeaders) => Verdict

const LEGACY: Verdict = Object.freeze({ kind: 'legacy' })
const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])
const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task'
const MAX_ENVELOPES = 1000
const MAX_ENVELOPE_LENGTH = 2000

/**
 * The SDK's classifier decides, and costs more than all the rest of a call. So the plain requests, which are nearly all, are told apart here,
 * and only where its verdict is certain: the envelope of a modern client is the same in each of its requests, and was judged with the first.
 */
export function createClassifier(): Classify {
  const known = new Set<string>()

  return function classify(body, headers) {
    if (!isPlainRequest(body)) return judge(body, headers)
    const meta = body.params?._meta
    if (!isRecord(meta) || !(VERSION_KEY in meta)) {
      const isKnown = headers.version === undefined || LEGACY_REVISIONS.includes(headers.version)
      return isKnown && body.method !== 'initialize' ? LEGACY : judge(body, headers)
    }
    if (!isMirrored(body, meta, headers)) return judge(body, headers)
    const envelope = JSON.stringify([meta[CLIENT_INFO_KEY], meta[CAPABILITIES_KEY]])
    if (known.has(envelope)) return { kind: 'modern', message: body, revision: MODERN_REVISION }
    const verdict = judge(body, headers)
    if (verdict.kind === 'modern' && envelope.length <= MAX_ENVELOPE_LENGTH) {
      if (known.size >= MAX_ENVELOPES) known.clear()
      known.add(envelope)
    }
    return verdict
  }
}

function judge(body: unknown, { version, method, name }: MirrorHeaders): Verdict {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    body,
  })
  if (outcome.kind === 'legacy') return LEGACY
  if (outcome.kind === 'modern') {
    const { message, classification } = outcome
    return { kind: 'modern', message, revision: classification.revision }
  }
  const { httpStatus: status, code, message, data } = outcome
  return { kind: 'refused', status, error: { code, message, ...(data !== undefined && { data }) } }
}

function isPlainRequest(body: unknown): body is RpcRequest {
  if (!isRequest(body)) return false
  for (const key of Object.keys(body)) if (!REQUEST_KEYS.has(key)) return false
  const meta = body.params?._meta
  if (meta === undefined) return true
  if (!isRecord(meta) || RELATED_TASK_KEY in meta) return false
  return meta.progressToken === undefined || isRpcId(meta.progressToken)
}

/** The headers say what the body says, and nothing of the envelope is odd but what is judged with it as a whole. */
function isMirrored(
  { method }: RpcRequest,
  meta: Readonly<Record<string, unknown>>,
  headers: MirrorHeaders,
): boolean {
  return (
    meta[VERSION_KEY] === MODERN_REVISION &&
    (headers.version === undefined || headers.version === MODERN_REVISION) &&
    (headers.method === undefined || headers.method === method) &&
    (meta[LOG_LEVEL_KEY] === undefined || isLogLevel(meta[LOG_LEVEL_KEY])) &&
    (meta[CLIENT_INFO_KEY] === undefined || isRecord(meta[CLIENT_INFO_KEY])) &&
    isRecord(meta[CAPABILITIES_KEY])
  )
}
