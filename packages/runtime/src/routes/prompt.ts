import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { Context } from 'hono'
import { Answer, Prompt } from '../contract.ts'
import { FRAMES, StreamFrame } from '../conversation-contract.ts'
import type { Turn } from '../turns/turns.ts'
import { isAgentId, unknownAgent } from './agents.ts'
import { toToolCall, toUsage } from './conversation-view.ts'
import {
  body,
  CONFLICT,
  events,
  conversationHeader as headers,
  json,
  agentParams as params,
  REFUSED,
  TURN_FAILED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from './declare.ts'
import { toFailedTurn } from './failed-turn.ts'
import type { RuntimeParts } from './parts.ts'
import { streamTurn } from './stream-turn.ts'

type PromptParts = Pick<RuntimeParts, 'turns' | 'sse' | 'streamEnd'>

const tags = ['prompt']
const onAgent = {
  tags,
  method: 'post',
  security: needs('agents:prompt'),
  request: { params, ...body(Prompt) },
} as const
const REFUSALS = Object.freeze({ ...REFUSED, ...UNREADABLE, ...UNKNOWN_AGENT, ...CONFLICT, ...UNAVAILABLE })
const CONVERSATION_HEADER = 'x-conversation-id'

export function mountPrompt(app: ServiceApp, prefix: string, parts: PromptParts): void {
  const stream = createRoute({
    ...onAgent,
    path: `${prefix}/agents/{agent_id}/prompt`,
    operationId: 'promptAgent',
    summary: 'Ask an agent, and read its answer as it comes',
    description:
      'Each `data:` line is one frame with an `id:`; `done` is the last. A comment comes every 15 seconds while nothing else does. Whoever loses the connection joins again with GET /api/v1/conversations/{conversation_id}/stream: the turn goes on meanwhile. A turn that fails once the stream has begun ends it with an `error` frame.',
    responses: {
      ...REFUSALS,
      200: { ...events('The frames.', StreamFrame, FRAMES), headers },
    },
  })
  app.openapi(stream, async (c) => {
    parts.sse.readers.assertRoom(c.get('principal').subject)
    const turn = await beginTurn(c, c.req.valid('param').agent_id, c.req.valid('json'))
    return streamTurn(c, parts, turn, { headers: { [CONVERSATION_HEADER]: turn.conversationId } })
  })

  const complete = createRoute({
    ...onAgent,
    path: `${prefix}/agents/{agent_id}/prompt/sync`,
    operationId: 'promptAgentSync',
    summary: 'Ask an agent, and wait for its whole answer',
    description:
      'The turn is stored and goes on when whoever asked leaves: its conversation has the answer. A turn that fails is answered with the status of its failure.',
    responses: {
      ...REFUSALS,
      ...TURN_FAILED,
      200: { ...json('The answer.', Answer), headers },
    },
  })
  app.openapi(complete, async (c) => {
    const turn = await beginTurn(c, c.req.valid('param').agent_id, c.req.valid('json'))
    const result = await turn.result()
    if (result.status !== 'complete' && result.status !== 'waiting') {
      const { body, status, headers } = toFailedTurn(turn, result)
      return c.json(body, status, headers)
    }
    const answer: Answer = {
      response: result.text,
      tool_calls: result.toolCalls.map(toToolCall),
      usage: toUsage(result.usage),
      conversation_id: turn.conversationId,
      status: result.status,
    }
    return c.json(answer, 200, { [CONVERSATION_HEADER]: turn.conversationId })
  })

  async function beginTurn(c: Context<ServiceEnv>, agentId: string, prompt: Prompt): Promise<Turn> {
    if (!isAgentId(agentId)) throw unknownAgent(agentId)
    const turn = await parts.turns.prompt({
      owner: c.get('principal').subject,
      agentId,
      conversationId: prompt.conversation_id ?? undefined,
      message: prompt.message,
    })
    if (prompt.on_disconnect === 'cancel') cancelOnDeparture(c.req.raw.signal, turn)
    return turn
  }
}

/** The signal is aborted when the client goes before it has its whole answer. */
function cancelOnDeparture(signal: AbortSignal, turn: Turn): void {
  // What cannot be cancelled is over, or goes on as any other turn does.
  const cancel = () => void turn.cancel().catch(() => undefined)
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
}
