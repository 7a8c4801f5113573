import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { z } from '@hono/zod-openapi'
import { choice, flag, list, text, wholeNumber } from '@quire/kit/app/request-fields'
import { anyObject } from '../../any-object.ts'
import { ConversationId, Decision } from '../../contract.ts'

const LONGEST_ID = 512
const LONGEST_TEXT = 1024 * 1024
const MOST_PARTS = 1_000
const MOST_HISTORY = 10_000
const MOST_TASKS = 100
const MOST_APPROVALS = 100

/** A peer of a later version may send more than we know of: it is left alone. */
const Part = z.looseObject({ text: text(LONGEST_TEXT, 0).optional(), data: z.unknown().optional() })

const Message = z.looseObject({
  messageId: text(LONGEST_ID),
  role: choice(['ROLE_USER']),
  parts: list(Part, MOST_PARTS).min(1, { error: 'must hold a part' }),
  contextId: z.union([z.literal(''), ConversationId]).optional(),
  taskId: text(LONGEST_ID, 0).optional(),
})
export type Message = z.infer<typeof Message>

const historyLength = wholeNumber(0, MOST_HISTORY).optional()

const SendMessage = z.looseObject({
  message: Message,
  configuration: z
    .looseObject({
      historyLength,
      returnImmediately: flag().optional(),
      taskPushNotificationConfig: anyObject().nullish(),
    })
    .nullish(),
})
export type SendMessage = z.infer<typeof SendMessage>

export const parseSendMessage = parserOf(SendMessage)
export const parseTaskRequest = parserOf(z.looseObject({ id: text(LONGEST_ID), historyLength }))

export const parseListTasks = parserOf(
  z.looseObject({
    contextId: z.union([z.literal(''), ConversationId]).optional(),
    status: z.string().optional(),
    pageSize: wholeNumber(1, MOST_TASKS).default(50),
    pageToken: z
      .string()
      .regex(/^\d{0,9}$/, { error: 'must be one that an answer had' })
      .transform(Number)
      .default(0),
    statusTimestampAfter: z.iso.datetime({ offset: true, error: 'must be a time of ISO 8601' }).optional(),
    includeArtifacts: flag().optional(),
  }),
)

export const parseApprovals = parserOf(
  z.object({ approvals: list(Decision.safeExtend({ call_id: text(LONGEST_ID) }), MOST_APPROVALS) }),
  'data',
)

function parserOf<Schema extends z.ZodType>(
  schema: Schema,
  where = 'params',
): (value: unknown) => z.infer<Schema> {
  return function parse(value) {
    const { success, data, error } = schema.safeParse(value)
    if (success) return data
    const [issue] = error.issues
    const path = [where, ...(issue?.path ?? [])].map(String).join('.')
    throw new RequestMalformedError(`${path}: ${issue?.message ?? 'is of the wrong shape'}`)
  }
}
