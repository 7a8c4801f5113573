import { VersionNotSupportedError } from '@a2a-js/sdk/errors'
import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type { Context } from 'hono'
import { absoluteAddress } from '../../public-address.ts'
import {
  body,
  json,
  agentParams as params,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from '../../routes/declare.ts'
import type { TransportParts } from '../parts.ts'
import { requireAgent } from '../require-agent.ts'
import { streamRun } from '../stream-run.ts'
import { mountTransportIndex } from '../transport-index.ts'
import type { TurnStep } from '../turn-steps.ts'
import { A2A_VERSION, toAgentCard } from './agent-card.ts'
import { A2aRequest, AgentCard, answer, versionHeader } from './documented.ts'
import { createMethods, type OpenStream } from './methods.ts'
import {
  BROKEN,
  idOf,
  NO_REQUEST,
  noMethod,
  parseRpc,
  type RpcError,
  type RpcId,
  type RpcResponse,
  toRpcError,
} from './rpc.ts'
import { keyOf, toResponses } from './to-responses.ts'

const tags = ['a2a']

export function mountA2a(app: ServiceApp, prefix: string, parts: TransportParts): void {
  const path = `${prefix}/a2a`
  const agentPath = `${path}/agents/{agent_id}`
  const { answers, streams } = createMethods(parts)
  const known = [...answers.keys(), ...streams.keys()]
  mountTransportIndex(app, parts, {
    path,
    protocol: 'a2a',
    version: A2A_VERSION,
    description: 'Agents over the Agent2Agent protocol: a task is a turn, a context is a conversation.',
    documentation: 'https://a2a-protocol.org',
    operation: 'a2a',
    endpoints: {
      agents: `${path}/agents`,
      agent: agentPath,
      card: `${agentPath}/.well-known/agent-card.json`,
    },
    endpointOf: (id) => `${path}/agents/${id}`,
    cardOf: (id) => `${path}/agents/${id}/.well-known/agent-card.json`,
  })

  // Clients look for a card beside the last part of the address that they are given: without a slash behind the id of an agent, that is here.
  app.get(`${path}/agents/.well-known/agent-card.json`, (c) => {
    throw whichAgent(absoluteAddress(parts.publicUrl, `${path}/agents`, c.req.url))
  })

  const card = createRoute({
    tags,
    method: 'get',
    path: `${agentPath}/.well-known/agent-card.json`,
    operationId: 'a2aCard',
    summary: 'Read the card of an agent',
    description:
      'What A2A clients read first: what the agent is called, what it can do, and where its JSON-RPC is.',
    security: needs('agents:read'),
    request: { params },
    responses: {
      ...REFUSED,
      ...UNKNOWN_AGENT,
      ...UNAVAILABLE,
      200: json('The card.', AgentCard),
    },
  })
  app.openapi(card, async (c) => {
    const agent = await requireAgent(parts.agents, c.req.valid('param').agent_id)
    const url = absoluteAddress(parts.publicUrl, `${path}/agents/${agent.id}`, c.req.url)
    return c.json(toAgentCard(agent, { url, version: parts.version, isOpen: parts.isOpen() }), 200)
  })

  const call = createRoute({
    tags,
    method: 'post',
    path: agentPath,
    operationId: 'a2aCall',
    summary: 'Call a method of A2A 1.0 by JSON-RPC 2.0',
    description: `With the header \`A2A-Version: ${A2A_VERSION}\`. The methods are SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask and SubscribeToTask; those that stream answer with server-sent events, one answer of JSON-RPC in each. Failures of a method are answered with 200 and the error of JSON-RPC.`,
    security: needs('agents:prompt'),
    request: { params, headers: versionHeader, ...body(A2aRequest) },
    responses: { ...REFUSED, ...UNREADABLE, ...UNKNOWN_AGENT, ...UNAVAILABLE, 200: answer },
  })
  app.openapi(call, async (c) => {
    const { id: agentId } = await requireAgent(parts.agents, c.req.valid('param').agent_id)
    const given: unknown = c.req.valid('json')
    const request = parseRpc(given)
    if (!request) return respond(c, failed(idOf(given), NO_REQUEST))
    const { id, method } = request
    const answerMethod = answers.get(method)
    const streamMethod = streams.get(method)
    if (streamMethod) parts.sse.readers.assertRoom(c.get('principal').subject)
    try {
      requireVersion(c.req.header('a2a-version'))
      const common = {
        owner: c.get('principal').subject,
        agentId,
        params: request.params,
        signal: c.req.raw.signal,
      }
      if (streamMethod) return stream(c, id, await streamMethod(common))
      if (answerMethod) return respond(c, { jsonrpc: '2.0', id, result: await answerMethod(common) })
      return respond(c, failed(id, noMethod(method, known)))
    } catch (error) {
      return respond(c, failed(id, toRpcError(error, parts.logger)))
    }
  })

  function stream(c: Context<ServiceEnv>, id: RpcId, open: OpenStream): Response {
    return streamRun(c, parts, open.run, {
      write: (steps) => messagesOf(steps, id, open),
      failed: ({ detail }) => [JSON.stringify(failed(id, { ...BROKEN, message: detail }))],
    })
  }
}

function whichAgent(agents: string): CallerError {
  return new CallerError(
    'not_found',
    `Which agent is meant cannot be told: the address that an A2A client is given needs a slash at its end, as in ${agents}/AGENT/. GET ${agents} lists the agents and where their cards are.`,
  )
}

/** Without the header a client of 0.3 is asking, which is not spoken here. The third number of a version says nothing of the wire. */
function requireVersion(header = ''): void {
  if (header === A2A_VERSION || header.startsWith(`${A2A_VERSION}.`)) return
  throw new VersionNotSupportedError(
    `A2A ${A2A_VERSION} is spoken here: say so with the header "A2A-Version: ${A2A_VERSION}"${header === '' ? ', without which 0.3 is meant' : ''}.`,
  )
}

function failed(id: RpcId, error: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error }
}

function respond(c: Context<ServiceEnv>, response: RpcResponse): Response {
  return c.body(JSON.stringify(response), 200, { 'content-type': 'application/json' })
}

async function* messagesOf(
  steps: AsyncIterable<TurnStep>,
  id: RpcId,
  { run, task }: OpenStream,
): AsyncGenerator<SseMessage> {
  for await (const { response, place } of toResponses(steps, keyOf(run), task))
    yield {
      data: JSON.stringify({ jsonrpc: '2.0', id, result: response }),
      ...(place !== undefined && { id: place }),
    }
}
