import { z } from '@hono/zod-openapi'
import { Failure } from '../contract.ts'

/** A JSON answer, for `responses` of a route. Without an example of its own it has that of its schema. */
export const json = <Schema>(description: string, schema: Schema, example?: unknown) => ({
  description,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
})

/** A stream of server-sent events, with a sample of it as it goes over the wire. */
export const events = <Schema>(description: string, schema: Schema, sample: string) => ({
  description,
  content: { 'text/event-stream': { schema, example: sample } },
})

/** For `request` of a route. */
export const body = <Schema>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

export const agentParams = z.object({
  agent_id: z.string().describe('The id of the agent.').openapi({ example: 'guide' }),
})

export const conversationParams = z.object({
  conversation_id: z.string().describe('The id of the conversation.').openapi({ example: 'my-first' }),
})

export const lastEventIdHeader = z.object({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'The `id:` of the last event that you have, as a reader of event streams sends it by itself. The id of an event of another turn, or of none, counts for nothing: the turn comes whole.',
    ),
})

/** Of answers that may belong to a conversation. */
export const maybeConversationHeader = {
  'X-Conversation-Id': {
    description: 'The conversation of the prompt.',
    schema: { type: 'string' as const },
    example: 'my-first',
    required: false,
  },
}

/** Of answers that do. */
export const conversationHeader = {
  'X-Conversation-Id': { ...maybeConversationHeader['X-Conversation-Id'], required: true },
}

export const failure = (status_code: number, description: string, detail: string) =>
  json(description, Failure, { detail, status_code })

/** What every closed route may answer. */
export const REFUSED = Object.freeze({
  400: failure(
    400,
    'The request cannot be read: its path, its body, or where its key is.',
    'Malformed JSON in request body',
  ),
  401: failure(
    401,
    'The key is missing or wrong.',
    'This route needs a token: send "Authorization: Bearer <token>".',
  ),
  403: failure(
    403,
    'The key lacks the scope, or a page of this Origin may not ask.',
    'The token lacks the scope agents:prompt.',
  ),
  429: failure(429, 'There were too many requests.', 'Too many requests. Try again in 17 s.'),
})

const MISSING = 'is missing: it must be a text of 1 to 1048576 characters'

/** Of a route that takes a body, or has parameters. */
export const INVALID = Object.freeze({
  422: json('Something in it is of the wrong shape, or names something that there is not.', Failure, {
    detail: `body.message: ${MISSING}`,
    status_code: 422,
    errors: [{ path: 'body.message', message: MISSING }],
  }),
})

const TOO_LARGE = 'The body is larger than 1048576 bytes.'

export const UNREADABLE = Object.freeze({
  ...INVALID,
  413: failure(413, 'The body is too large.', TOO_LARGE),
  415: failure(415, 'The body is no JSON.', 'Send the body as application/json, and say so in Content-Type.'),
})

export const UNKNOWN_AGENT = Object.freeze({
  404: failure(404, 'There is no such agent.', 'There is no agent "nobody". GET /api/v1/agents lists them.'),
})

export const UNKNOWN_CONVERSATION = Object.freeze({
  404: failure(
    404,
    'You have no such conversation.',
    'You have no conversation "nothing". GET /api/v1/conversations lists yours.',
  ),
})

/** Of a prompt. */
export const CONFLICT = Object.freeze({
  409: failure(
    409,
    'The conversation is busy, or of another agent; or the turn was cancelled meanwhile.',
    'The conversation "my-first" belongs to the agent "guide": prompt that one, or begin another conversation.',
  ),
})

export const UNAVAILABLE = Object.freeze({
  503: failure(
    503,
    'The database is not available.',
    'The database is not available: it does not answer. Try again shortly.',
  ),
})

/** Of a route that answers when its turn is over, and whose turn failed. */
export const TURN_FAILED = Object.freeze({
  413: {
    ...failure(413, 'The body is too large, or the conversation is for the model.', TOO_LARGE),
    headers: maybeConversationHeader,
  },
  500: {
    ...failure(
      500,
      'The turn failed inside this service.',
      'The turn failed inside this service; its log says why. Prompt again, and tell whoever runs it if it stays so.',
    ),
    headers: maybeConversationHeader,
  },
  502: {
    ...failure(
      502,
      'The provider of the model could not be reached, refused, or answered with something that makes no sense.',
      'OpenAI broke off its answer. Try again.',
    ),
    headers: maybeConversationHeader,
  },
  503: {
    ...failure(
      503,
      'The model is not set up here, its provider asks for patience, the service stops, or the database is not available.',
      'OpenAI is not set up here: set OPENAI_API_KEY in the environment and start again, or use the model builtin:guide, which needs none.',
    ),
    headers: {
      ...maybeConversationHeader,
      'Retry-After': { description: 'Seconds, where it is known.', schema: { type: 'integer' as const } },
    },
  },
})
