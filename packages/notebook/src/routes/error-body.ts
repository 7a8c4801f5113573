import type { ErrorBody } from '@quire/kit/app/render-error'
import type { Refusal as RefusalReason } from '@quire/kit/errors'
import type { Failure, Refusal } from '../contract.ts'
import { MANAGEMENT_OPERATIONS } from './management.ts'

/** The words of RFC 6750 where it has them; for everything else our own. */
const CODES: Partial<Record<RefusalReason, string>> = {
  token_missing: 'invalid_token',
  token_invalid: 'invalid_token',
  token_twice: 'invalid_request',
  token_throttled: 'too_many_requests',
  scope: 'insufficient_scope',
}

const AT_THE_DOOR: ReadonlySet<RefusalReason> = new Set([
  'path_shape',
  'token_missing',
  'token_invalid',
  'token_twice',
  'token_throttled',
  'scope',
])

/** The one body of errors that this service has, but for what connect and stop could not do. */
export const notebookErrorBody: ErrorBody = ({ reason, detail }, c): Failure | Refusal => {
  if (reason === 'host') return { error: 'Invalid Host header' }
  if (reason === 'origin') return { error: 'Invalid Origin header' }
  const operation = c.get('route')?.operationId ?? ''
  if (MANAGEMENT_OPERATIONS.has(operation) && !AT_THE_DOOR.has(reason))
    return { success: false, error: detail }
  return { error: CODES[reason] ?? reason, error_description: detail }
}
