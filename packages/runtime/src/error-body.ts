import type { ErrorBody } from '@quire/kit/app/render-error'
import type { Failure } from './contract.ts'

/** The one body of errors that this service has. */
export const runtimeErrorBody: ErrorBody = ({ detail, status, errors }): Failure => ({
  detail,
  status_code: status,
  ...(errors && { errors: [...errors] }),
})
