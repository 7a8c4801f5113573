import type { ErrorBody } from '@quire/kit/app/render-error'
import type { Failure } from './contract.ts'

/** The one body of errors that this service has. */
export const teamsErrorBody: ErrorBody = ({ detail, errors }): Failure => ({
  detail,
  ...(errors && { errors: [...errors] }),
})
