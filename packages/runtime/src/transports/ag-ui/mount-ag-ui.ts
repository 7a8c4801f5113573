import { type AGUIEvent, EventType, PROTOCOL_VERSION } from '@ag-ui/core'
import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { SseMessage } from '@quire/kit/stream/sse-frame'
import {
  agentParams,
  body,
  CONFLICT,
  conversationHeader,
  events,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from '../../routes/declare.ts'
import type { StreamFailure } from '../../stream-failure.ts'
import { decideCalls } from '../decide-calls.ts'
import type { TransportParts } from '../parts.ts'
import { requireAgent } from '../require-agent.ts'
import { type Run, runOf } from '../run.ts'
import { streamRun } from '../stream-run.ts'
import { mountTransportIndex } from '../transport-index.ts'
import type { TurnStep } from '../turn-steps.ts'
import { AgUiEvent, EVENTS } from './documented.ts'
import { decisionsOf, instructionsOf, promptOf, RunInput, refuseClientTools } from './run-input.ts'
import { type RunIds, toEvents } from './to-events.ts'

/** A client sends all it has of the conversation with every prompt. */
const MOST_BYTES = 8 * 1024 * 1024

export function mountAgUi(app: ServiceApp, prefix: string, parts: TransportParts): void {
  const path = `${prefix}/ag-ui`
  mountTransportIndex(app, parts, {
    path,
    protocol: 'ag-ui',
    version: PROTOCOL_VERSION,
    description:
      'Agents over the Agent User Interaction Protocol: a run is a turn, a thread is a conversation.',
    documentation: 'https://docs.ag-ui.com',
    operation: 'agUi',
    endpoints: { agents: `${path}/agents`, run: `${path}/{agent_id}` },
    endpointOf: (id) => `${path}/${id}`,
  })

  const run = createRoute({
    tags: ['ag-ui'],
    method: 'post',
    path: `${path}/{agent_id}`,
    operationId: 'agUiRun',
    summary: 'Run an agent, and read the events of AG-UI 1.0',
    description:
      'The thread is the conversation of that id, and the last message of the user the prompt. Cancel a run with POST /api/v1/conversations/{conversation_id}/cancel.',
    security: needs('agents:prompt'),
    'x-max-body-bytes': MOST_BYTES,
    request: { params: agentParams, ...body(RunInput) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN_AGENT,
      ...CONFLICT,
      ...UNAVAILABLE,
      200: { ...events('The events.', AgUiEvent, EVENTS), headers: conversationHeader },
    },
  })
  app.openapi(run, async (c) => {
    const input = c.req.valid('json')
    parts.sse.readers.assertRoom(c.get('principal').subject)
    const agent = await requireAgent(parts.agents, c.req.valid('param').agent_id)
    const begun = await begin(parts, { owner: c.get('principal').subject, agentId: agent.id, input })
    return streamRun(c, parts, begun, {
      write: (steps) => messagesOf(steps, begun, { threadId: input.threadId, runId: input.runId }),
      failed: (failure) => [JSON.stringify(toError(failure))],
    })
  })
}

function toError({ detail, statusCode }: StreamFailure): AGUIEvent {
  return { type: EventType.RUN_ERROR, message: detail, code: String(statusCode) }
}

interface Beginning {
  readonly owner: string
  readonly agentId: string
  readonly input: RunInput
}

async function begin(parts: TransportParts, { owner, agentId, input }: Beginning): Promise<Run> {
  refuseClientTools(input)
  const conversationId = input.threadId
  const decisions = decisionsOf(input)
  if (decisions) return decideCalls(parts, { owner, agentId, conversationId, decisions })
  const message = promptOf(input)
  const extraInstructions = instructionsOf(input)
  return runOf(await parts.turns.prompt({ owner, agentId, conversationId, message, extraInstructions }))
}

async function* messagesOf(
  steps: AsyncIterable<TurnStep>,
  run: Run,
  ids: RunIds,
): AsyncGenerator<SseMessage> {
  for await (const { event, place } of toEvents(steps, run, ids))
    yield { data: JSON.stringify(event), ...(place !== undefined && { id: place }) }
}
