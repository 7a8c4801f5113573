import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type { Context } from 'hono'
import { ConversationId } from '../../contract.ts'
import {
  agentParams,
  body,
  CONFLICT,
  conversationHeader,
  events,
  lastEventIdHeader,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from '../../routes/declare.ts'
import { decideCalls } from '../decide-calls.ts'
import type { TransportParts } from '../parts.ts'
import { requireAgent } from '../require-agent.ts'
import { type Run, runOf } from '../run.ts'
import { streamRun } from '../stream-run.ts'
import { mountTransportIndex } from '../transport-index.ts'
import type { TurnStep } from '../turn-steps.ts'
import { ChatRequest, wishOf } from './chat-request.ts'
import type { Chunk } from './chunk.ts'
import { CHUNKS, UiMessageChunk } from './documented.ts'
import { toChunks } from './to-chunks.ts'

/** A client sends all it has of the conversation with every prompt. */
const MOST_BYTES = 8 * 1024 * 1024
const STREAM_HEADERS = Object.freeze({ 'x-vercel-ai-ui-message-stream': 'v1' })
const tags = ['vercel-ai']
const security = needs('agents:prompt')
const stream = {
  ...events('The chunks.', UiMessageChunk, CHUNKS),
  headers: {
    ...conversationHeader,
    'X-Vercel-AI-UI-Message-Stream': {
      description: 'The version of the protocol.',
      schema: { type: 'string' as const },
      example: STREAM_HEADERS['x-vercel-ai-ui-message-stream'],
    },
  },
}

export function mountVercelAi(app: ServiceApp, prefix: string, parts: TransportParts): void {
  const path = `${prefix}/vercel-ai`
  mountTransportIndex(app, parts, {
    path,
    protocol: 'vercel-ai',
    version: 'v1',
    description:
      'Agents for `useChat` of the AI SDK: a chat is a conversation, a message of the assistant is a turn.',
    documentation: 'https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol',
    operation: 'vercelAi',
    endpoints: {
      agents: `${path}/agents`,
      chat: `${path}/{agent_id}`,
      resume: `${path}/{agent_id}/{chat_id}/stream`,
    },
    endpointOf: (id) => `${path}/${id}`,
  })

  const chat = createRoute({
    tags,
    method: 'post',
    path: `${path}/{agent_id}`,
    operationId: 'vercelAiChat',
    summary: 'Ask an agent as `useChat` does, and read the UI message stream',
    description:
      'The chat is the conversation of that id, and its last message the prompt. Stop it with POST /api/v1/conversations/{conversation_id}/cancel: to leave is not to stop.',
    security,
    'x-max-body-bytes': MOST_BYTES,
    request: { params: agentParams, ...body(ChatRequest) },
    responses: { ...REFUSED, ...UNREADABLE, ...UNKNOWN_AGENT, ...CONFLICT, ...UNAVAILABLE, 200: stream },
  })
  app.openapi(chat, async (c) => {
    const request = c.req.valid('json')
    parts.sse.readers.assertRoom(c.get('principal').subject)
    const { id: agentId } = await requireAgent(parts.agents, c.req.valid('param').agent_id)
    const common = { owner: c.get('principal').subject, agentId, conversationId: request.id }
    const wish = wishOf(request)
    const run =
      wish.type === 'decide'
        ? await decideCalls(parts, { ...common, decisions: wish.decisions })
        : runOf(await parts.turns.prompt({ ...common, message: wish.message }))
    return respond(c, run)
  })

  const resume = createRoute({
    tags,
    method: 'get',
    path: `${path}/{agent_id}/{chat_id}/stream`,
    operationId: 'vercelAiResume',
    summary: 'Join the turn of a chat that is under way',
    description:
      'From its beginning, or from after `Last-Event-ID`. `useChat` asks here with `resume: true`.',
    security,
    request: {
      params: agentParams.extend({
        chat_id: z
          .string()
          .describe('The id of the chat, which is that of the conversation.')
          .openapi({ example: 'my-first' }),
      }),
      headers: lastEventIdHeader,
    },
    responses: {
      ...REFUSED,
      ...UNKNOWN_AGENT,
      ...UNAVAILABLE,
      200: stream,
      204: { description: 'Nothing is under way.' },
    },
  })
  app.openapi(resume, async (c) => {
    const { agent_id, chat_id } = c.req.valid('param')
    const owner = c.get('principal').subject
    parts.sse.readers.assertRoom(owner)
    const { id: agentId } = await requireAgent(parts.agents, agent_id)
    const record = ConversationId.safeParse(chat_id).success
      ? await parts.conversations.find(owner, chat_id)
      : undefined
    const turn =
      record?.agentId === agentId && record.status === 'running'
        ? await parts.turns.join(owner, chat_id)
        : undefined
    return turn ? respond(c, runOf(turn, c.req.header('last-event-id'))) : c.body(null, 204)
  })

  function respond(c: Context<ServiceEnv>, run: Run): Response {
    return streamRun(c, parts, run, {
      write: (steps) => messagesOf(steps, run),
      failed: ({ detail }) => [JSON.stringify(toError(detail)), DONE],
      headers: STREAM_HEADERS,
    })
  }
}

const DONE = '[DONE]'

function toError(errorText: string): Chunk {
  return { type: 'error', errorText }
}

async function* messagesOf(steps: AsyncIterable<TurnStep>, run: Run): AsyncGenerator<SseMessage> {
  for await (const { chunk, place } of toChunks(steps, run))
    yield { data: JSON.stringify(chunk), ...(place !== undefined && { id: place }) }
  yield { data: DONE }
}
