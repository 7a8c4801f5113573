import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import { isAgentId, unknownAgent } from '../routes/agents.ts'
import {
  agentParams,
  body,
  CONFLICT,
  conversationHeader as headers,
  json,
  REFUSED,
  TURN_FAILED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from '../routes/declare.ts'
import { toFailedTurn } from '../routes/failed-turn.ts'
import type { RuntimeParts } from '../routes/parts.ts'
import type { StreamFailure } from '../stream-failure.ts'
import type { Turn } from '../turns/turns.ts'
import { toContent } from './answer.ts'
import { McpUiAnswer, McpUiEvent, McpUiPrompt } from './contract.ts'
import { mountDescription } from './mount-description.ts'
import { type HostParts, mountHost } from './mount-host.ts'
import { lines, ndjsonResponse } from './ndjson.ts'
import { type TurnEventsParts, turnEvents } from './turn-events.ts'

export type McpUiParts = Pick<RuntimeParts, 'turns' | 'agents' | 'sse' | 'streamEnd' | 'publicUrl'> &
  TurnEventsParts &
  HostParts

const tags = ['mcp-ui']
const CONVERSATION_HEADER = 'x-conversation-id'
const CLIENT_GONE = 499
const LINES = `{"type":"start","session_id":"my-first"}
{"type":"delta","delta":"It is sunny in Bern."}
{"type":"complete","session_id":"my-first"}
`
const BROKEN: StreamFailure = Object.freeze({
  detail:
    'The stream broke off on our side. The answer is stored: read it with GET /api/v1/conversations/{id}.',
  statusCode: 500,
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
    request: { params: agentParams, ...body(McpUiPrompt) },
  } as const
  const refusals = { ...REFUSED, ...UNREADABLE, ...UNKNOWN_AGENT, ...CONFLICT, ...UNAVAILABLE }

  const chat = createRoute({
    ...onAgent,
    path: `${root}/chat/{agent_id}`,
    operationId: 'chatMcpUi',
    summary: 'Ask an agent, and wait for its whole answer with the user interfaces of its tools',
    description: 'A turn that fails is answered with the status of its failure.',
    responses: { ...refusals, ...TURN_FAILED, 200: { ...json('The answer.', McpUiAnswer), headers } },
  })
  app.openapi(chat, async (c) => {
    const { signal } = c.req.raw
    const turn = await beginTurn(c, c.req.valid('param').agent_id, c.req.valid('json'))
    const content = await toContent(turnEvents(turn, parts, { ...optionsOf(c.req.valid('json')), signal }))
    if (signal.aborted) throw callerGone()
    if (!content) {
      const { body, status, headers } = toFailedTurn(turn, await turn.result())
      return c.json(body, status, headers)
    }
    const answer = { role: 'assistant' as const, content, session_id: turn.conversationId }
    return c.json(answer, 200, { [CONVERSATION_HEADER]: turn.conversationId })
  })

  const stream = createRoute({
    ...onAgent,
    path: `${root}/stream/{agent_id}`,
    operationId: 'streamMcpUi',
    summary: 'Ask an agent, and read its answer as it comes',
    description:
      'One JSON object a line; the last is `complete` or `error`. An empty line comes every 15 seconds while nothing else does.',
    responses: { ...refusals, 200: { ...lines('The events.', McpUiEvent, LINES), headers } },
  })
  app.openapi(stream, async (c) => {
    const prompt = c.req.valid('json')
    const principal = c.get('principal')
    parts.sse.readers.assertRoom(principal.subject)
    const turn = await beginTurn(c, c.req.valid('param').agent_id, prompt)
    return ndjsonResponse((signal) => turnEvents(turn, parts, { ...optionsOf(prompt), signal }), {
      logger: parts.logger,
      signals: [principal.revoked, parts.streamEnd(principal)],
      headers: { [CONVERSATION_HEADER]: turn.conversationId },
      enter: () => parts.sse.readers.enter(principal.subject),
      lastLine: (failure = BROKEN) => toError(failure),
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

function toError({ detail, statusCode }: StreamFailure): McpUiEvent {
  return { type: 'error', error: detail, status_code: statusCode }
}

function optionsOf({ ui_options }: McpUiPrompt) {
  return { isEmbedding: ui_options?.embed_resources ?? true }
}

function callerGone(): CallerError {
  return new CallerError('unavailable', 'The caller left before the answer was complete. It is stored.', {
    status: CLIENT_GONE,
  })
}
