import type { ErrorBody } from '@quire/kit/app/render-error'
import type { Refusal } from '@quire/kit/errors'
import type { Failure } from '../contract.ts'

/** What is refused before a handler sees it has no code of its own. */
const CODES: Readonly<Record<Refusal, string>> = Object.freeze({
  path_shape: 'INVALID_PATH',
  host: 'INVALID_HOST',
  origin: 'INVALID_ORIGIN',
  token_missing: 'TOKEN_MISSING',
  token_invalid: 'TOKEN_INVALID',
  token_twice: 'TOKEN_TWICE',
  token_throttled: 'RATE_LIMITED',
  scope: 'INSUFFICIENT_SCOPE',
  rate_limit: 'RATE_LIMITED',
  content_type: 'UNSUPPORTED_MEDIA_TYPE',
  body_size: 'BODY_TOO_LARGE',
  body_shape: 'VALIDATION_ERROR',
  body_syntax: 'INVALID_BODY',
  validation: 'VALIDATION_ERROR',
  not_found: 'NOT_FOUND',
  method: 'METHOD_NOT_ALLOWED',
  conflict: 'CONFLICT',
  unavailable: 'UNAVAILABLE',
  internal: 'INTERNAL_ERROR',
})

/** The one body of errors that this service has. */
export const composerErrorBody: ErrorBody = ({ detail, reason, code, errors }): Failure => ({
  detail,
  error_code: code ?? CODES[reason],
  ...(errors && { errors: [...errors] }),
})
