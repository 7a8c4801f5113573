import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { CallerError } from '@quire/kit/errors'
import type { AgentRecord } from '../agents/agent-record.ts'
import { Agent, AgentChanges, AgentId, AgentList, Message, NewAgent } from '../contract.ts'
import { assertUsable } from './agent-checks.ts'
import { toAgent, toAgentSummary, toPatch } from './agent-view.ts'
import {
  body,
  failure,
  json,
  agentParams as params,
  REFUSED,
  UNAVAILABLE,
  UNKNOWN_AGENT,
  UNREADABLE,
} from './declare.ts'
import { idFromName } from './id-from-name.ts'
import type { RuntimeParts } from './parts.ts'

type AgentParts = Pick<RuntimeParts, 'agents' | 'turns' | 'models' | 'toolsets' | 'defaultModel'>

const tags = ['agents']
const DEFAULT_MAX_STEPS = 20
const TAKEN = Object.freeze({
  409: failure(
    409,
    'There is an agent with that id.',
    'There is an agent with the id "guide" already: choose another id, or change that one with PUT.',
  ),
})

export function mountAgents(app: ServiceApp, prefix: string, parts: AgentParts): void {
  const { agents } = parts

  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/agents`,
    operationId: 'listAgents',
    summary: 'List the agents',
    description: "All of them, in the order in which they were made. Agents are everybody's who has a key.",
    security: needs('agents:read'),
    responses: { ...REFUSED, ...UNAVAILABLE, 200: json('The agents.', AgentList) },
  })
  app.openapi(list, async (c) => c.json({ agents: (await agents.list()).map(toAgentSummary) }, 200))

  const one = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/agents/{agent_id}`,
    operationId: 'getAgent',
    summary: 'Read an agent',
    description: 'With its instructions and limits, which the list leaves out.',
    security: needs('agents:read'),
    request: { params },
    responses: { ...REFUSED, ...UNKNOWN_AGENT, ...UNAVAILABLE, 200: json('The agent.', Agent) },
  })
  app.openapi(one, async (c) =>
    c.json(toAgent(await requireAgent(agents, c.req.valid('param').agent_id)), 200),
  )

  const create = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/agents`,
    operationId: 'createAgent',
    summary: 'Make an agent',
    description:
      'Only `name` is needed; without an `id` it gets one made from its name. A model whose provider has no key here is accepted: a prompt then says what is missing.',
    security: needs('agents:write'),
    request: body(NewAgent),
    responses: { ...REFUSED, ...UNREADABLE, ...TAKEN, ...UNAVAILABLE, 201: json('The new agent.', Agent) },
  })
  app.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    await assertUsable(wanted, parts)
    const agent = await agents.insert({
      id: wanted.id ?? idFromName(wanted.name),
      name: wanted.name,
      description: '',
      transport: 'streaming',
      model: parts.defaultModel,
      systemPrompt: '',
      mcpToolsets: [],
      maxSteps: DEFAULT_MAX_STEPS,
      toolApproval: false,
      ...toPatch(wanted),
    })
    return c.json(toAgent(agent), 201)
  })

  const update = createRoute({
    tags,
    method: 'put',
    path: `${prefix}/agents/{agent_id}`,
    operationId: 'updateAgent',
    summary: 'Change an agent',
    description: 'What the body leaves out stays as it is. A turn under way keeps the agent as it was.',
    security: needs('agents:write'),
    request: { params, ...body(AgentChanges) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN_AGENT,
      ...UNAVAILABLE,
      200: json('The agent as it is now.', Agent),
    },
  })
  app.openapi(update, async (c) => {
    const { agent_id } = c.req.valid('param')
    const changes = c.req.valid('json')
    if (changes.id !== undefined && changes.id !== agent_id)
      throw new CallerError(
        'body_shape',
        `The body is of the agent "${changes.id}", the address of "${agent_id}". An id cannot be changed: make another agent.`,
      )
    await assertUsable(changes, parts)
    const agent = isAgentId(agent_id) ? await agents.update(agent_id, toPatch(changes)) : undefined
    if (!agent) throw unknownAgent(agent_id)
    return c.json(toAgent(agent), 200)
  })

  const remove = createRoute({
    tags,
    method: 'delete',
    path: `${prefix}/agents/{agent_id}`,
    operationId: 'deleteAgent',
    summary: 'Remove an agent',
    description: 'Its turns under way are cancelled, its conversations are kept.',
    security: needs('agents:write'),
    request: { params },
    responses: {
      ...REFUSED,
      ...UNKNOWN_AGENT,
      ...UNAVAILABLE,
      200: json('It is gone.', Message, {
        message: 'The agent "data-analyst" is gone. Its conversations are kept.',
      }),
    },
  })
  app.openapi(remove, async (c) => {
    const { agent_id } = c.req.valid('param')
    if (!isAgentId(agent_id) || !(await agents.remove(agent_id))) throw unknownAgent(agent_id)
    await parts.turns.cancelOf(agent_id)
    return c.json({ message: `The agent "${agent_id}" is gone. Its conversations are kept.` }, 200)
  })
}

async function requireAgent(agents: AgentParts['agents'], id: string): Promise<AgentRecord> {
  const agent = isAgentId(id) ? await agents.find(id) : undefined
  if (agent) return agent
  throw unknownAgent(id)
}

/** No agent has another: the store need not be asked. */
export function isAgentId(id: string): boolean {
  return AgentId.safeParse(id).success
}

const LONGEST_SHOWN = 128

export function unknownAgent(id: string): CallerError {
  return new CallerError(
    'not_found',
    `There is no agent ${JSON.stringify(id.slice(0, LONGEST_SHOWN))}. GET /api/v1/agents lists them.`,
  )
}
