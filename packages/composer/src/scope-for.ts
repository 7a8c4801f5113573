/** What a message of a client needs, by its method. What is not listed needs nothing but a key: `initialize`, `ping`, notifications. */
const SCOPES: Readonly<Record<string, readonly string[]>> = Object.freeze({
  'tools/list': ['tools:list'],
  'prompts/list': ['tools:list'],
  'resources/list': ['tools:list'],
  'resources/templates/list': ['tools:list'],
  'tools/call': ['tools:invoke'],
  'prompts/get': ['tools:invoke'],
  'resources/read': ['tools:invoke'],
  'resources/subscribe': ['tools:invoke'],
  'completion/complete': ['tools:invoke'],
})
const NOTHING: readonly string[] = Object.freeze([])

export function scopeFor({ method }: Readonly<Record<string, unknown>>): readonly string[] {
  return typeof method === 'string' && Object.hasOwn(SCOPES, method) ? (SCOPES[method] ?? NOTHING) : NOTHING
}
