import { createGuide } from '@quire/agent/guide'
import { createModels } from '@quire/agent/models'
import { describe, expect, test } from 'vitest'
import type { Member, TeamDraft } from '../team.ts'
import { faultsInDraft } from './check-draft.ts'
import { createRemoteAgents, type RemoteAgents } from './remote-agents.ts'

const models = createModels({ environment: {}, guide: createGuide() })
const agents = createRemoteAgents({ allowed: [{ url: 'http://127.0.0.1:8765/api/v1/agents/' }] })
const AGENT_URL = 'http://127.0.0.1:8765/api/v1/agents/guide'

const member = (change: Partial<Member>): Member => ({
  name: 'a',
  systemPrompt: '',
  mcpToolsets: [],
  ...change,
})

async function pathsOf(
  members: readonly Member[],
  draft: Partial<TeamDraft> = {},
  known: { readonly agents: RemoteAgents | undefined } = { agents },
) {
  const faults = await faultsInDraft(
    { name: 'T', executionMode: 'parallel', members, ...draft },
    { models, toolsetNames: ['files'], ...known },
  )
  for (const { message } of faults) expect(message).toMatch(/\w{3}/)
  return faults.map(({ path }) => path)
}

test('a team whose parts are all known has no faults, also where a key is missing', async () => {
  const members = [
    member({ model: 'builtin:guide', mcpToolsets: ['files'] }),
    member({ model: 'openai:gpt-5.4' }),
    member({ agentUrl: AGENT_URL }),
  ]
  expect(await pathsOf(members)).toEqual([])
})

test.each(['gpt-5', 'nobody:x', 'openai:', 'openai:*', ':x', 'builtin:other', '__proto__:x'])(
  'the model %j is none',
  async (model) => {
    expect(await pathsOf([member({ model })])).toEqual(['members[0].model'])
  },
)

test('each unknown toolset is told, where it stands', async () => {
  const members = [
    member({ model: 'builtin:guide' }),
    member({ model: 'builtin:guide', mcpToolsets: ['files', 'mail', 'Files'] }),
  ]
  expect(await pathsOf(members)).toEqual(['members[1].mcp_toolsets[1]', 'members[1].mcp_toolsets[2]'])
})

test('an agent that is not allowed is a fault, and where none is allowed each is', async () => {
  const stranger = member({ agentUrl: 'http://127.0.0.1:9999/api/v1/agents/guide' })
  expect(await pathsOf([stranger])).toEqual(['members[0].agent_url'])
  expect(await pathsOf([member({ agentUrl: AGENT_URL })], {}, { agents: undefined })).toEqual([
    'members[0].agent_url',
  ])
})

describe('a limit in dollars', () => {
  const budget = { maxCostUsd: 1 }

  test.each<[string, Partial<Member>, boolean]>([
    ['the guide, which costs nothing', { model: 'builtin:guide' }, true],
    ['a model in the table, without a key', { model: 'anthropic:claude-sonnet-4-5' }, true],
    ['a model that the table does not know', { model: 'openai:no-such-model' }, false],
    ['a model on the machine at hand', { model: 'ollama:llama3' }, false],
    ['a server that somebody set', { model: 'openai-compatible:gpt-5.4' }, false],
    ['an agent elsewhere', { agentUrl: AGENT_URL }, false],
  ])('%s', async (_, change, isPriced) => {
    expect(await pathsOf([member(change)], { budget })).toEqual(isPriced ? [] : ['budget.max_cost_usd'])
    expect(await pathsOf([member(change)], { budget: { maxTokens: 1 } })).toEqual([])
  })

  test('names who has no price, once', async () => {
    const members = [member({ name: 'x', model: 'ollama:a' }), member({ name: 'y', model: 'ollama:b' })]
    const faults = await faultsInDraft(
      { name: 'T', executionMode: 'parallel', members, budget },
      { models, toolsetNames: [], agents },
    )
    expect(faults).toHaveLength(1)
    expect(faults[0]?.message).toContain('"x", "y"')
  })
})
