import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
} from '@a2a-js/sdk/errors'
import { z } from '@hono/zod-openapi'
import { choice, flag, list, text, wholeNumber } from '@quire/kit/app/request-fields'
import { NewTask } from '../contract.ts'
import { toTaskDraft } from '../routes/task-view.ts'
import type { TaskDraft } from '../task.ts'

const LONGEST_ID = 255
const LONGEST_TEXT = 1024 * 1024
const LONGEST_TITLE = 100
const MOST_PARTS = 1_000
const MOST_REFERENCES = 100
const MOST_HISTORY = 10_000
const MOST_TASKS = 100
const DEFAULT_TASKS = 50

/** What stands in none of these is left alone: peers of later versions may send more than we know of. */
const Message = z.object({
  messageId: text(LONGEST_ID),
  role: choice(['ROLE_USER']),
  parts: list(z.object({ text: text(LONGEST_TEXT, 0).nullish() }), MOST_PARTS, 1),
  contextId: text(LONGEST_ID, 0).nullish(),
  taskId: text(LONGEST_ID, 0).nullish(),
  referenceTaskIds: list(text(LONGEST_ID), MOST_REFERENCES).nullish(),
})
export type Message = z.infer<typeof Message>

const historyLength = wholeNumber(0, MOST_HISTORY).nullish()

const SendMessage = z.object({
  message: Message,
  configuration: z
    .object({
      historyLength,
      returnImmediately: flag().nullish(),
      taskPushNotificationConfig: z.unknown().optional(),
    })
    .nullish(),
})
export type SendMessage = z.infer<typeof SendMessage>

export const NO_PUSH = 'There are no push notifications here: stream, or ask with GetTask.'

export function parseSendMessage(params: unknown): SendMessage {
  const request = parse(SendMessage, params)
  if (request.configuration?.taskPushNotificationConfig != null)
    throw new PushNotificationNotSupportedError(NO_PUSH)
  return request
}

const TaskRequest = z.object({ id: text(LONGEST_ID), historyLength })

export function parseTaskId(params: unknown): string {
  return parse(TaskRequest, params).id
}

const ListTasks = z.object({
  contextId: text(LONGEST_ID, 0).nullish(),
  status: choice([
    'TASK_STATE_UNSPECIFIED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ]).nullish(),
  pageSize: wholeNumber(1, MOST_TASKS)
    .nullish()
    .transform((size) => size ?? DEFAULT_TASKS),
  pageToken: z
    .string()
    .regex(/^\d{0,9}$/, { error: 'must be one that an answer had' })
    .nullish()
    .transform((token) => Number(token ?? 0)),
  historyLength,
  statusTimestampAfter: z.iso.datetime({ offset: true, error: 'must be a time of ISO 8601' }).nullish(),
  includeArtifacts: flag().nullish(),
})
export type ListTasks = z.infer<typeof ListTasks>

export function parseListTasks(params: unknown): ListTasks {
  return parse(ListTasks, params)
}

/** Its first line is the title, all of it the description, and the tasks that it refers to are those it depends on. */
export function toDraft({ parts, referenceTaskIds }: Message): TaskDraft {
  const description = parts.map(({ text }, index) => text ?? refusePart(index)).join('\n')
  const title = titleOf(description)
  const { success, data, error } = NewTask.safeParse({ title, description, depends_on: referenceTaskIds })
  if (success) return toTaskDraft(data)
  const [issue] = error.issues
  throw new RequestMalformedError(`params.message: its ${issue?.path.join('.')} ${issue?.message}`)
}

function titleOf(description: string): string {
  const [line = ''] = description.trim().split(/[\r\n]/, 1)
  const characters = [...line.replaceAll(/\p{Cc}/gu, ' ').trim()]
  return characters.length > LONGEST_TITLE
    ? `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`
    : characters.join('')
}

function refusePart(index: number): never {
  throw new ContentTypeNotSupportedError(
    `params.message.parts.${index}: must be a text: files and data are not read here.`,
  )
}

function parse<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(params)
  if (success) return data
  const [issue] = error.issues
  throw new RequestMalformedError(
    `${['params', ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message ?? 'is of the wrong shape'}`,
  )
}
