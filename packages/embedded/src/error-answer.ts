import { createErrorRenderer } from '@quire/kit/app/render-error'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError, type Refusal } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import type { Context } from 'hono'

/** Jupyter knows no 401 on its API. */
const FORBIDDEN: ReadonlySet<Refusal> = new Set(['token_missing', 'token_invalid', 'token_twice'])

/** Errors in the words of a Jupyter server: `{message, reason}`. */
export function createErrorAnswer(logger: Logger): (error: unknown, c: Context<ServiceEnv>) => Response {
  const render = createErrorRenderer(({ reason, detail }) => {
    if (FORBIDDEN.has(reason)) return { message: 'Forbidden', reason: detail }
    return { message: detail, reason: null }
  }, logger)
  return function answerError(error, c) {
    return render(
      error instanceof CallerError && FORBIDDEN.has(error.problem.reason) ? forbidden(error) : error,
      c,
    )
  }
}

function forbidden({ problem, message }: CallerError): CallerError {
  return new CallerError(problem.reason, message, { status: 403 })
}
