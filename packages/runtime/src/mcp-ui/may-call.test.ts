import { expect, test } from 'vitest'
import { agentWith } from '../agents/agent.fixture.ts'
import { assertMayCall } from './may-call.ts'

const OWN = { id: 'own', mcpToolsets: ['notebook'] }

test.each([
  ['a tool that nobody has to decide on', { ...OWN }, 'notebook__read', undefined],
  ['one that a person decides on', { ...OWN }, 'notebook__run', 'each call of this tool'],
  ['any tool of an agent that asks', { ...OWN, toolApproval: true }, 'notebook__read', 'each call of a tool'],
])('%s, for a user interface', async (_what, agent, toolName, refusal) => {
  const access = {
    agents: { list: async () => [agentWith(agent)] },
    conversations: { agentIds: async () => ['own'], find: async () => undefined },
    needsPerson: (name: string) => name === 'notebook__run',
  }
  const asked = assertMayCall(access, { owner: 'ada', toolset: 'notebook', toolName })
  if (refusal === undefined) await expect(asked).resolves.toBeUndefined()
  else await expect(asked).rejects.toThrow(refusal)
})
