import { z } from '@hono/zod-openapi'
import { object } from '@quire/kit/app/request-fields'
import { Prompt } from '../contract.ts'
import { ClientAction, ClientError, Version } from './messages.ts'

export const A2uiDescription = z
  .object({
    protocol: z.literal('a2ui').describe('The name of the protocol.'),
    description: z.string().describe('What it is.'),
    documentation: z.string().describe('Where the protocol is described.'),
    version: z.string().describe('The version that is written here.'),
    versions: z.array(z.string()).describe('Those that are written here.'),
    media_type: z.string().describe('The media type of its messages.'),
    catalogs: z.array(z.string()).describe('The catalogs whose components are used.'),
    streams: z.array(z.string()).describe('What `Accept` can ask for.'),
    endpoints: z
      .record(z.string(), z.string())
      .describe('What there is, by name; `{agent_id}` stands for an agent.'),
  })
  .openapi('A2uiProtocol', { description: 'How A2UI is spoken here.' })

export const A2uiAgentList = z
  .object({
    agents: z
      .array(
        z.object({
          id: z.string().describe('The id of the agent.'),
          name: z.string().describe('The name that people see.'),
          description: z.string().describe('What the agent is for.'),
          endpoint: z.string().describe('Where it is asked.'),
          extension: z
            .object({
              uri: z.string().describe('The name of the extension.'),
              params: z.record(z.string(), z.unknown()).describe('Which catalogs it knows.'),
            })
            .describe('As cards of agents have it.'),
        }),
      )
      .describe('All agents.'),
    count: z.int().describe('How many there are.'),
  })
  .openapi('A2uiAgentList', { description: 'The agents that can be shown.' })

/** A prompt, or what a renderer sends of its own accord (`version` with `action` or `error`), or a conversation alone: its last turn is shown again. */
export const A2uiRequest = object({
  version: Version.optional().describe('The version that the renderer speaks.'),
  message: Prompt.shape.message.optional(),
  action: ClientAction.optional(),
  error: ClientError.optional(),
  conversation_id: Prompt.shape.conversation_id,
})
  .refine(
    ({ message, action, error, conversation_id }) => {
      const said = [message, action, error].filter((part) => part !== undefined).length
      return said === 1 || (said === 0 && typeof conversation_id === 'string')
    },
    { error: 'must hold one of "message", "action" and "error", or a "conversation_id" alone' },
  )
  .openapi('A2uiRequest', {
    description:
      'One of `message`, `action` and `error`, or a `conversation_id` alone: its last turn is shown again.',
    example: { message: 'What can you do?', conversation_id: 'my-first' },
  })
export type A2uiRequest = z.infer<typeof A2uiRequest>
