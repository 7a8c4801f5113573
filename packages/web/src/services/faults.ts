import { RequestFailed } from './request.ts'

/** What a service found wrong with single fields, by where they are in the body: `members[0].name`. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  const faults = new Map<string, string>()
  if (!(error instanceof RequestFailed)) return faults
  const { body } = error
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors))
    return faults
  for (const fault of body.errors as unknown[])
    if (isFault(fault)) {
      const path = fault.path.replace(/^body\.?/, '')
      const before = faults.get(path)
      faults.set(path, before === undefined ? fault.message : `${before}; ${fault.message}`)
    }
  return faults
}

function isFault(value: unknown): value is { readonly path: string; readonly message: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  )
}
