import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import { Message } from '../contract.ts'
import { ndjsonResponse } from '../mcp-ui/ndjson.ts'
import { isAgentId, unknownAgent } from '../routes/agents.ts'
import {
  agentParams,
  body,
  CONFLICT,
  conversationHeader,
  json,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from '../routes/declare.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import { failureOfEnd } from '../stream-failure.ts'
import { A2uiRequest } from './contract.ts'
import { EVENTS, LINES } from './documented.ts'
import { A2uiMessage } from './messages.ts'
import { mountDescription } from './mount-description.ts'
import { createSurface } from './surface.ts'
import { type PlacedMessage, surfaceMessages } from './surface-stream.ts'
import { type ActionOutcome, takeAction } from './take-action.ts'

export type A2uiParts = Pick<RuntimeParts, 'turns' | 'agents' | 'sse' | 'streamEnd' | 'logger' | 'publicUrl'>

const tags = ['a2ui']
const CONVERSATION_HEADER = 'x-conversation-id'
const NDJSON = /^application\/(?:x-ndjson|jsonl)\b/
const BROKEN = 'The stream broke off on our side. The answer is stored.'

/** Any agent as a user interface for any renderer of A2UI: we make the surface of what happens in its turns. */
export function mountA2ui(app: ServiceApp, parts: A2uiParts, prefix = '/api/v1'): void {
  const { turns, logger, sse, streamEnd } = parts
  const root = `${prefix}/a2ui`
  mountDescription(app, root, parts)

  const ask = createRoute({
    tags,
    method: 'post',
    path: `${root}/agents/{agent_id}`,
    operationId: 'promptA2ui',
    summary: 'Ask an agent, or tell it what was done in its user interface',
    description:
      'The answer is messages for the renderer: each `data:` line is one; with `Accept: application/x-ndjson` each line is. A body with `conversation_id` alone shows the last turn again.',
    security: needs('agents:prompt'),
    request: { params: agentParams, ...body(A2uiRequest) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN_AGENT,
      ...CONFLICT,
      ...UNAVAILABLE,
      200: {
        description: 'The messages.',
        headers: conversationHeader,
        content: {
          'text/event-stream': { schema: A2uiMessage, example: EVENTS },
          'application/x-ndjson': { schema: A2uiMessage, example: LINES },
        },
      },
      202: json('The `error` of the renderer was noted.', Message, { message: 'The error was noted.' }),
    },
  })
  app.openapi(ask, async (c) => {
    const agentId = c.req.valid('param').agent_id
    if (!isAgentId(agentId)) throw unknownAgent(agentId)
    const request = c.req.valid('json')
    if (request.error) {
      if (!(await parts.agents.find(agentId))) throw unknownAgent(agentId)
      logger.warn({ agent: agentId, error: request.error }, 'a renderer of A2UI reported an error')
      return c.json({ message: 'The error was noted.' }, 202)
    }
    sse.readers.assertRoom(c.get('principal').subject)
    const outcome = await begin(c.get('principal').subject, agentId, request)
    return stream(c, outcome, request.action?.surfaceId)
  })

  async function begin(owner: string, agentId: string, request: A2uiRequest): Promise<ActionOutcome> {
    const { message, action } = request
    const conversationId = request.conversation_id ?? undefined
    if (action) return takeAction(turns, { owner, agentId, conversationId, action })
    if (message !== undefined)
      return { turn: await turns.prompt({ owner, agentId, conversationId, message }) }
    const turn = conversationId === undefined ? undefined : await turns.join(owner, conversationId)
    if (turn?.agent.id === agentId) return { turn }
    throw new CallerError(
      'conflict',
      'There is no turn of this agent in the conversation. Send a "message" to begin one.',
    )
  }

  function stream(
    c: Context<ServiceEnv>,
    outcome: ActionOutcome,
    shownSurface: string | undefined,
  ): Response {
    const { turn } = outcome
    const surfaceId = turn?.id ?? shownSurface ?? ''
    const conversationId = turn ? turn.conversationId : outcome.conversationId
    const surface = createSurface({ surfaceId, conversationId, isKnown: surfaceId === shownSurface })
    const source = (signal: AbortSignal) =>
      turn ? surfaceMessages(turn.frames({ signal }), surface) : fromList(outcome.messages)
    const headers = { [CONVERSATION_HEADER]: conversationId }
    const principal = c.get('principal')
    const end = streamEnd(principal)
    if (wantsLines(c.req.header('accept')))
      return ndjsonResponse((signal) => messagesOf(source(signal)), {
        logger,
        signals: [principal.revoked, end],
        enter: () => sse.readers.enter(principal.subject),
        headers,
        lastLine: (failure) => surface.fail(failure?.detail ?? BROKEN)[0],
      })
    return sse.response(c, (signal) => eventsOf(source(signal)), {
      headers,
      onError: () => ({ data: JSON.stringify(surface.fail(BROKEN)[0]) }),
      onEnd: (why) => ({ data: JSON.stringify(surface.fail(failureOfEnd(why).detail)[0]) }),
      ...(end && { signal: end }),
    })
  }
}

function wantsLines(accept: string | undefined): boolean {
  return accept?.split(',').some((type) => NDJSON.test(type.trim().toLowerCase())) ?? false
}

async function* fromList(messages: readonly A2uiMessage[]): AsyncGenerator<PlacedMessage> {
  for (const message of messages) yield { message }
}

async function* messagesOf(placed: AsyncIterable<PlacedMessage>): AsyncGenerator<A2uiMessage> {
  for await (const { message } of placed) yield message
}

async function* eventsOf(placed: AsyncIterable<PlacedMessage>) {
  for await (const { id, message } of placed)
    yield { data: JSON.stringify(message), ...(id !== undefined && { id }) }
}
