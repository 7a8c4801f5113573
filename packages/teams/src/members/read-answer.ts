import type { z } from 'zod'

export type Reading<Answer> = { readonly answer: Answer } | { readonly problem: string }

const MOST_TEXT = 100_000
const MOST_PROBLEMS = 5
/** The block is all that follows the words before it. */
const BLOCK_AT_END = /^[^`]*```(?:json)?[ \t]*\r?\n([^`]*)```\s*$/

/**
 * A text has to be the object, or to end with a block of it and have no other: an object that is merely quoted, from a result under review perhaps, is no
 * answer.
 */
export function readAnswerText<Answer>(text: string, schema: z.ZodType<Answer>): Reading<Answer> {
  const trimmed = text.slice(0, MOST_TEXT).trim()
  const json = trimmed.startsWith('{') ? trimmed : (BLOCK_AT_END.exec(trimmed)?.[1] ?? '')
  try {
    return readAnswer(JSON.parse(json), schema)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { problem: 'it was no JSON object by itself' }
  }
}

export function readAnswer<Answer>(value: unknown, schema: z.ZodType<Answer>): Reading<Answer> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return { answer: data }
  const problems = error.issues
    .slice(0, MOST_PROBLEMS)
    .map(({ path, message }) => `${path.map(String).join('.') || 'the object'}: ${message.slice(0, 300)}`)
  return { problem: problems.join('; ') }
}
