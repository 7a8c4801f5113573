import { z } from 'zod'
import { ConversationId, Prompt } from '../contract.ts'
import { object } from '../request-fields.ts'
import { ClientAction, ClientError, Version } from './messages.ts'

export const A2uiDescription = z.object({
  protocol: z.literal('a2ui'),
  description: z.string(),
  documentation: z.string(),
  version: z.string(),
  versions: z.array(z.string()),
  media_type: z.string(),
  catalogs: z.array(z.string()),
  streams: z.array(z.string()),
  endpoints: z.record(z.string(), z.string()),
})

export const A2uiAgentList = z.object({
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      endpoint: z.string(),
      /** As agent cards have it. */
      extension: z.object({ uri: z.string(), params: z.record(z.string(), z.unknown()) }),
    }),
  ),
  count: z.int(),
})

/** A prompt, or what a renderer sends of its own accord (`version` with `action` or `error`), or a conversation alone: its last turn is shown again. */
export const A2uiRequest = object({
  version: Version.optional(),
  message: Prompt.shape.message.optional(),
  action: ClientAction.optional(),
  error: ClientError.optional(),
  conversation_id: ConversationId.nullish(),
}).refine(
  ({ message, action, error, conversation_id }) => {
    const said = [message, action, error].filter((part) => part !== undefined).length
    return said === 1 || (said === 0 && typeof conversation_id === 'string')
  },
  { error: 'must hold one of "message", "action" and "error", or a "conversation_id" alone' },
)
export type A2uiRequest = z.infer<typeof A2uiRequest>
