import { z } from 'zod'
import { either } from './config/schema/fields.ts'
import { must, object, text, texts } from './request-fields.ts'

const TYPES = ['stdio-to-http', 'sse-to-http', 'http-to-stdio'] as const

const NAME_RULE = 'be 1 to 64 letters, digits, ".", "_" or "-", and begin with a letter or digit'
const Name = z
  .string({ error: must(NAME_RULE) })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { error: must(NAME_RULE) })

const LONGEST_WORD = 4096
const MOST_WORDS = 256
const COMMAND = must(
  'be a program, or a list of the program and its arguments, up to 256 texts of 4096 characters',
)
const ARGUMENTS = must('be a list of up to 256 texts')
const Words = z.array(text(LONGEST_WORD, 0), { error: ARGUMENTS }).max(MOST_WORDS, { error: ARGUMENTS })

/** Body of `POST /translators`. */
export const TranslatorRequest = z.discriminatedUnion(
  'type',
  [
    object({
      type: z.literal(TYPES[0]),
      name: Name,
      /** The program, or the program and its arguments. */
      command: z.union(
        [
          z.string().min(1, { error: COMMAND }).max(LONGEST_WORD, { error: COMMAND }),
          z
            .array(z.string({ error: COMMAND }).max(LONGEST_WORD, { error: COMMAND }))
            .min(1, { error: COMMAND })
            .max(MOST_WORDS, { error: COMMAND }),
        ],
        { error: COMMAND },
      ),
      args: Words.optional(),
      env: texts().optional(),
      working_dir: text(LONGEST_WORD).optional(),
    }),
    object({
      type: z.literal(TYPES[1]),
      name: Name,
      url: text(LONGEST_WORD),
      headers: texts().optional(),
    }),
    object({ type: z.literal(TYPES[2]), name: Name, url: text(LONGEST_WORD) }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? `must be ${either(TYPES)}`
        : 'must be an object with "type", "name" and what the type needs',
  },
)
export type TranslatorRequest = z.infer<typeof TranslatorRequest>

export const Translator = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(TYPES),
  status: z.string(),
  endpoint: z.string().optional(),
  command: z.string().optional(),
  url: z.string().optional(),
  created_at: z.string(),
})
export type Translator = z.infer<typeof Translator>

export const TranslatorList = z.object({
  translators: z.array(Translator),
  total: z.int().nonnegative(),
  offset: z.int().nonnegative(),
  limit: z.int().nonnegative(),
})
export type TranslatorList = z.infer<typeof TranslatorList>
