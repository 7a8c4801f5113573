import { z } from '@hono/zod-openapi'
import { text } from '@quire/kit/app/request-fields'
import { badField } from './bad-field.ts'

const LONGEST_PROMPT = 1024 * 1024
const Prompt = text(LONGEST_PROMPT)

/** What a user has written, from wherever a protocol puts it. */
export function requirePrompt(value: string, path: string): string {
  const { success, data, error } = Prompt.safeParse(value)
  if (!success) throw badField(path, error.issues[0]?.message ?? 'cannot be a prompt')
  return data
}

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() })

/** Of a list of parts, each with its `type`. */
export function requireTexts(parts: readonly unknown[], path: string): string {
  const texts = parts.map((part, index) => {
    const { success, data } = TextPart.safeParse(part)
    if (!success)
      throw badField(`${path}[${index}]`, 'must be a part of type "text": others are not read here')
    return data.text
  })
  return requirePrompt(texts.join('\n'), path)
}
