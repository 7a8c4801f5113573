import { isRecord } from '@quire/mcp/json'

const LIST: readonly string[] = Object.freeze(['tools:list'])
const INVOKE: readonly string[] = Object.freeze(['tools:invoke'])
const BOTH: readonly string[] = Object.freeze([...LIST, ...INVOKE])
const NOTHING: readonly string[] = Object.freeze([])

/** What a message of a client needs, by its method. What is not listed needs nothing but a key: `initialize`, `ping`, notifications. */
const SCOPES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['tools/list', LIST],
  ['prompts/list', LIST],
  ['resources/list', LIST],
  ['resources/templates/list', LIST],
  ['tools/call', INVOKE],
  ['prompts/get', INVOKE],
  ['resources/read', INVOKE],
  ['resources/subscribe', INVOKE],
  ['completion/complete', INVOKE],
])

export function scopeFor({ method, params }: Readonly<Record<string, unknown>>): readonly string[] {
  // To hear that lists change is as good as listing, and to hear of a resource as good as subscribing to it.
  if (method === 'subscriptions/listen') return namesResources(params) ? BOTH : LIST
  return SCOPES.get(method) ?? NOTHING
}

function namesResources(params: unknown): boolean {
  const filter = isRecord(params) ? params.notifications : undefined
  return isRecord(filter) && filter.resourceSubscriptions !== undefined
}
