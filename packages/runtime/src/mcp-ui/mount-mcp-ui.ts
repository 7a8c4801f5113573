import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import { isAgentId, unknownAgent } from '../routes/agents.ts'
import { body, CONFLICT, json, REFUSED, UNAVAILABLE, UNKNOWN, UNREADABLE } from '../routes/declare.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import type { Turn } from '../turns/turns.ts'
import { toContent } from './answer.ts'
import { McpUiAnswer, McpUiEvent, McpUiPrompt } from './contract.ts'
import { mountDescription } from './mount-description.ts'
import { type HostParts, mountHost } from './mount-host.ts'
import { lines, ndjsonResponse } from './ndjson.ts'
import { type TurnEventsParts, turnEvents } from './turn-events.ts'
import { turnFailure } from './turn-failure.ts'

export type McpUiParts = Pick<RuntimeParts, 'turns' | 'agents' | 'streamEnd'> & TurnEventsParts & HostParts

const tags = ['mcp-ui']
const CONVERSATION_HEADER = 'x-conversation-id'
const CLIENT_GONE = 499
const BROKEN = Object.freeze({
  type: 'error',
  error:
    'The stream broke off on our side. The answer is stored: read it with GET /api/v1/conversations/{id}.',
  status_code: 500,
})

/** MCP-UI as its clients know it, and what a host of MCP Apps needs behind it. */
export function mountMcpUi(app: ServiceApp, parts: McpUiParts, prefix = '/api/v1'): void {
  const root = `${prefix}/mcp-ui`
  mountDescription(app, root, parts)
  mountHost(app, root, parts)

  const onAgent = {
    tags,
    method: 'post',
    security: needs('agents:prompt'),
    request: { params: z.object({ agent_id: z.string() }), ...body(McpUiPrompt) },
  } as const
  const refusals = { ...REFUSED, ...UNREADABLE, ...UNKNOWN, ...CONFLICT, ...UNAVAILABLE }

  const chat = createRoute({
    ...onAgent,
    path: `${root}/chat/{agent_id}`,
    operationId: 'chatMcpUi',
    summary: 'Ask an agent, and wait for its whole answer with the user interfaces of its tools',
    responses: { ...refusals, 200: json('The answer', McpUiAnswer) },
  })
  app.openapi(chat, async (c) => {
    const { signal } = c.req.raw
    const turn = await beginTurn(c, c.req.valid('param').agent_id, c.req.valid('json'))
    const content = await toContent(turnEvents(turn, parts, { ...optionsOf(c.req.valid('json')), signal }))
    if (signal.aborted) throw callerGone()
    if (!content) throw await turnFailure(turn)
    const answer = { role: 'assistant' as const, content, session_id: turn.conversationId }
    return c.json(answer, 200, { [CONVERSATION_HEADER]: turn.conversationId })
  })

  const stream = createRoute({
    ...onAgent,
    path: `${root}/stream/{agent_id}`,
    operationId: 'streamMcpUi',
    summary: 'Ask an agent, and read its answer as it comes, one JSON object a line',
    responses: { ...refusals, 200: lines('The events', McpUiEvent) },
  })
  app.openapi(stream, async (c) => {
    const prompt = c.req.valid('json')
    const principal = c.get('principal')
    const turn = await beginTurn(c, c.req.valid('param').agent_id, prompt)
    return ndjsonResponse((signal) => turnEvents(turn, parts, { ...optionsOf(prompt), signal }), {
      logger: parts.logger,
      signals: [principal.revoked, parts.streamEnd(principal)],
      headers: { [CONVERSATION_HEADER]: turn.conversationId },
      lastLine: () => BROKEN,
    })
  })

  async function beginTurn(c: Context<ServiceEnv>, agentId: string, prompt: McpUiPrompt): Promise<Turn> {
    if (!isAgentId(agentId)) throw unknownAgent(agentId)
    return parts.turns.prompt({
      owner: c.get('principal').subject,
      agentId,
      conversationId: prompt.session_id ?? undefined,
      message: prompt.message,
    })
  }
}

function optionsOf({ ui_options }: McpUiPrompt) {
  return { isEmbedding: ui_options?.embed_resources ?? true }
}

function callerGone(): CallerError {
  return new CallerError('unavailable', 'The caller left before the answer was complete. It is stored.', {
    status: CLIENT_GONE,
  })
}
