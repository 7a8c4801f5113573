import type { z } from 'zod'
import { isRecord } from '../document/json.ts'

/**
 * Models send `"3"` for 3, one thing for a list of one, and an empty text for what they leave out. Where there is but one way to read it, it is read that way
 * instead of costing them a turn.
 */
export function parseArguments(schema: z.ZodObject, given: unknown): ReturnType<z.ZodObject['safeParse']> {
  const parsed = schema.safeParse(given)
  if (parsed.success || !isRecord(given)) return parsed
  const mended = mend(schema, given, parsed.error.issues)
  const again = schema.safeParse(mended)
  return again.success ? again : parsed
}

function mend(
  schema: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
  issues: readonly z.core.$ZodIssue[],
): Record<string, unknown> {
  const mended: Record<string, unknown> = { ...given }
  for (const issue of issues) {
    const [name] = issue.path
    if (typeof name !== 'string' || issue.path.length > 1) continue
    const value = mended[name]
    if (value === '' && schema.shape[name]?.safeParse(null).success) mended[name] = null
    else if (issue.code === 'invalid_type') mended[name] = readAs(issue.expected, value)
  }
  return mended
}

const WHOLE_NUMBER = /^-?\d{1,15}$/

function readAs(expected: string, value: unknown): unknown {
  if (expected === 'array') return [value]
  if (typeof value !== 'string') return value
  if ((expected === 'number' || expected === 'int') && WHOLE_NUMBER.test(value)) return Number(value)
  if (expected === 'boolean' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value
}
