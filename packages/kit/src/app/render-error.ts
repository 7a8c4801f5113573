import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { CallerError, type Problem, REFUSALS, type Refusal } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { ServiceEnv } from './service-env.ts'

export type ErrorBody = (problem: Problem, c: Context<ServiceEnv>) => object

/** The one place where a service's errors become answers. */
export function createErrorRenderer(errorBody: ErrorBody, logger: Logger | undefined) {
  return function renderError(error: unknown, c: Context<ServiceEnv>): Response {
    const known = toCallerError(error)
    if (known.problem.status >= 500) logFailure(error, known.problem, c.get('requestId'))
    for (const [name, value] of Object.entries(known.headers)) c.header(name, value)
    return c.json(errorBody(known.problem, c), known.problem.status as ContentfulStatusCode)
  }

  /** A failure that its caller can understand needs no stack: nothing is wrong with the service itself. */
  function logFailure(error: unknown, { status, reason, code, detail }: Problem, request_id: string): void {
    if (reason === 'internal') logger?.error({ err: error, request_id }, 'request failed')
    else logger?.warn({ status, reason, code, detail, request_id }, 'request failed')
  }
}

function toCallerError(error: unknown): CallerError {
  if (error instanceof CallerError) return error
  if (error instanceof HTTPException && error.status < 500)
    return new CallerError(reasonOf(error.status), error.message, { status: error.status })
  return new CallerError(
    'internal',
    'Something went wrong on our side. The log of the service has the cause under this request id.',
  )
}

/** Hono itself throws for JSON that cannot be read and for media types that the route does not take. */
function reasonOf(status: number): Refusal {
  if (status === 400) return 'body_syntax'
  return (Object.keys(REFUSALS) as Refusal[]).find((reason) => REFUSALS[reason] === status) ?? 'validation'
}
