import { CallerError } from '@quire/kit/errors'

/** For what no schema of a field can say, in the same words. */
export function badField(path: string, message: string): CallerError {
  return new CallerError('validation', `${path}: ${message}`, { errors: [{ path, message }] })
}
