import type { Hook } from '@hono/zod-openapi'
import { CallerError, type FieldError } from '../errors.ts'
import type { ServiceEnv } from './service-env.ts'

const MOST_FAULTS = 20

/** Turns what zod found into one sentence, and the list beside it. */
export function createValidationHook(status: 400 | 422): Hook<unknown, ServiceEnv, string, unknown> {
  return function refuseInvalid(result) {
    if (result.success) return
    const where =
      result.target === 'json' || result.target === 'form'
        ? 'body'
        : result.target === 'param'
          ? 'path'
          : result.target
    const errors = result.error.issues
      .slice(0, MOST_FAULTS)
      .map((issue): FieldError => ({ path: pathOf(where, issue.path), message: issue.message }))
    throw new CallerError('validation', sentence(errors, result.error.issues.length), { status, errors })
  }
}

function pathOf(where: string, keys: readonly PropertyKey[]): string {
  return keys.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`),
    where,
  )
}

function sentence(errors: readonly FieldError[], total: number): string {
  const [first] = errors
  const rest = total > 1 ? ` (and ${total - 1} more)` : ''
  return first ? `${first.path}: ${first.message}${rest}` : 'The request is not valid.'
}
