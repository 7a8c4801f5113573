import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import { Answer, Failure, Prompt, StreamFrame } from '../contract.ts'
import type { Turn, TurnResult } from '../turns/turns.ts'
import { isAgentId, unknownAgent } from './agents.ts'
import { toToolCall, toUsage } from './conversation-view.ts'
import { body, CONFLICT, json, REFUSED, UNAVAILABLE, UNKNOWN, UNREADABLE } from './declare.ts'
import type { RuntimeParts } from './parts.ts'
import { streamTurn } from './stream-turn.ts'

type PromptParts = Pick<RuntimeParts, 'turns' | 'sse' | 'streamEnd'>

const tags = ['prompt']
const params = z.object({ agent_id: z.string() })
const onAgent = {
  tags,
  method: 'post',
  security: needs('agents:prompt'),
  request: { params, ...body(Prompt) },
} as const
const REFUSALS = Object.freeze({ ...REFUSED, ...UNREADABLE, ...UNKNOWN, ...CONFLICT, ...UNAVAILABLE })
const CONVERSATION_HEADER = 'x-conversation-id'
const headers = {
  'X-Conversation-Id': { description: 'The conversation of the prompt', schema: { type: 'string' as const } },
}

export function mountPrompt(app: ServiceApp, prefix: string, parts: PromptParts): void {
  const stream = createRoute({
    ...onAgent,
    path: `${prefix}/agents/{agent_id}/prompt`,
    operationId: 'promptAgent',
    summary: 'Ask an agent, and read its answer as it comes',
    description:
      'Each `data:` line is one frame; `done` is the last. Whoever loses the connection joins again with GET /api/v1/conversations/{conversation_id}/stream.',
    responses: {
      ...REFUSALS,
      200: { description: 'The frames', headers, content: { 'text/event-stream': { schema: StreamFrame } } },
    },
  })
  app.openapi(stream, async (c) => {
    const turn = await beginTurn(c, c.req.valid('param').agent_id, c.req.valid('json'))
    return streamTurn(c, parts, turn, { headers: { [CONVERSATION_HEADER]: turn.conversationId } })
  })

  const complete = createRoute({
    ...onAgent,
    path: `${prefix}/agents/{agent_id}/prompt/sync`,
    operationId: 'promptAgentSync',
    summary: 'Ask an agent, and wait for its whole answer',
    responses: {
      ...REFUSALS,
      200: { ...json('The answer', Answer), headers },
      '4XX': { ...json('The model or its provider refused', Failure), headers },
      '5XX': { ...json('The model failed, or its provider', Failure), headers },
    },
  })
  app.openapi(complete, async (c) => {
    const turn = await beginTurn(c, c.req.valid('param').agent_id, c.req.valid('json'))
    const result = await turn.result()
    if (result.status !== 'complete' && result.status !== 'waiting') throw failureOf(turn, result)
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

const ENDS = Object.freeze({
  cancelled: [409, 'The turn was cancelled before it was complete.'],
  interrupted: [503, 'The service stopped before the answer was complete. What there is of it is stored.'],
  failed: [500, 'The turn failed.'],
} as const)

function failureOf(turn: Turn, { status, error }: TurnResult): CallerError {
  const [statusCode, detail] = status === 'complete' || status === 'waiting' ? ENDS.failed : ENDS[status]
  return new CallerError('unavailable', error?.detail ?? detail, {
    status: error?.statusCode ?? statusCode,
    headers: {
      [CONVERSATION_HEADER]: turn.conversationId,
      ...(error?.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
    },
  })
}
