import { isRecord } from '@quire/mcp/json'
import { type Params, RpcFault } from '../rpc.ts'
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from './rpc-codes.ts'

/** What a server may ask a client, by the capability that the client declares for it. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
])

export function canBeAsked(capabilities: Params): boolean {
  return CAPABILITIES.values().some((capability) => isRecord(capabilities[capability]))
}

export function withoutQuestions(capabilities: Params): Params {
  const askable = new Set(CAPABILITIES.values())
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !askable.has(name)))
}

/** Throws what a server gets that asks for something its client has not offered. */
export function checkQuestion(method: string, params: Params, capabilities: Params): void {
  const name = CAPABILITIES.get(method)
  if (name === undefined) throw new RpcFault(METHOD_NOT_FOUND, `Clients are never asked "${method}".`)
  const declared = capabilities[name]
  if (isRecord(declared) && !lacksPart(method, params, declared)) return
  throw new RpcFault(METHOD_NOT_FOUND, `The client does not support this use of "${method}".`)
}

/** One entry of `inputRequests`. */
export function readQuestion(entry: unknown): { readonly method: string; readonly params: Params } {
  if (!isRecord(entry) || typeof entry.method !== 'string')
    throw new RpcFault(INTERNAL_ERROR, 'The server asks for input with a request that is none.')
  return { method: entry.method, params: isRecord(entry.params) ? entry.params : {} }
}

/** A bare `elicitation: {}` is from the time when there were only forms. */
function lacksPart(method: string, params: Params, declared: Readonly<Record<string, unknown>>): boolean {
  if (method === 'elicitation/create') {
    if (params.mode === 'url') return declared.url === undefined
    return declared.form === undefined && declared.url !== undefined
  }
  if (method !== 'sampling/createMessage') return false
  return (params.tools !== undefined || params.toolChoice !== undefined) && declared.tools === undefined
}
