import { z } from '@hono/zod-openapi'
import { maybeConversationHeader } from '../../routes/declare.ts'
import { A2A_VERSION } from './agent-card.ts'

/** For the documentation alone: the peer's own words are checked where they are used, and answered in the errors of JSON-RPC. */
export const A2aRequest = z.unknown().openapi('A2aRequest', {
  type: 'object',
  description: 'A request of JSON-RPC 2.0.',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'], description: 'The version of JSON-RPC.' },
    id: {
      type: ['string', 'integer', 'null'],
      description: 'Your name for the call: its answer carries it.',
    },
    method: { type: 'string', description: 'A method of A2A, such as `SendMessage`.' },
    params: { type: 'object', description: 'Its arguments, as the specification of A2A has them.' },
  },
  example: {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: {
      message: {
        messageId: 'message-1',
        role: 'ROLE_USER',
        contextId: 'my-first',
        parts: [{ text: 'What can you do?' }],
      },
    },
  },
})

export const versionHeader = z.object({
  'a2a-version': z
    .string()
    .optional()
    .describe('The version of A2A that you speak. Without it 0.3 is meant, which is not spoken here.')
    .openapi({ example: A2A_VERSION }),
})

const A2aResponse = z.unknown().openapi('A2aResponse', {
  type: 'object',
  description: 'An answer of JSON-RPC 2.0: `result` or `error`.',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'], description: 'The version of JSON-RPC.' },
    id: { type: ['string', 'integer', 'null'], description: 'That of the request.' },
    result: { type: 'object', description: 'What the method answers, as the specification of A2A has it.' },
    error: {
      type: 'object',
      description: 'Why it did not, in the codes of A2A.',
      properties: {
        code: { type: 'integer', description: 'For programs.' },
        message: { type: 'string', description: 'For people.' },
      },
    },
  },
})

const TASK = {
  id: 'my-first~0199f3c2',
  contextId: 'my-first',
  status: { state: 'TASK_STATE_COMPLETED' },
  artifacts: [
    {
      artifactId: 'answer',
      name: 'answer',
      parts: [{ text: 'It is sunny in Bern.', mediaType: 'text/plain' }],
    },
  ],
}

const EVENTS = [
  { task: { id: TASK.id, contextId: TASK.contextId, status: { state: 'TASK_STATE_WORKING' } } },
  { statusUpdate: { taskId: TASK.id, contextId: TASK.contextId, status: TASK.status } },
]
  .map((result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`)
  .join('')

/** Its type says nothing of the body: results are of many shapes. */
export const answer: { readonly description: string } = Object.assign(
  { description: 'An answer of JSON-RPC, or a stream of them.' },
  {
    headers: maybeConversationHeader,
    content: {
      'application/json': { schema: A2aResponse, example: { jsonrpc: '2.0', id: 1, result: { task: TASK } } },
      'text/event-stream': { schema: A2aResponse, example: EVENTS },
    },
  },
)

export const AgentCard = z
  .looseObject({
    name: z.string().describe('The name that people see.'),
    description: z.string().describe('What the agent is for.'),
    version: z.string().describe('The release of the service.'),
  })
  .openapi('AgentCard', {
    description: 'The card of an agent, as A2A 1.0 has it.',
    example: {
      name: 'Guide',
      description: 'A rule-based guide.',
      version: '0.1.0',
      supportedInterfaces: [
        {
          url: 'http://127.0.0.1:8765/api/v1/a2a/agents/guide',
          protocolBinding: 'JSONRPC',
          protocolVersion: A2A_VERSION,
        },
      ],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'guide', name: 'Guide', description: 'A rule-based guide.', tags: ['chat'] }],
    },
  })
