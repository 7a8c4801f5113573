import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { AgentStore, AgentSummary } from './agents/agent-record.ts'
import { ALL_TOOLSETS } from './contract.ts'

/** The same agents, for those who run them: one that has all toolsets has each by its name. */
export function withToolsetNames(agents: AgentStore, { names }: Pick<Toolsets, 'names'>): AgentStore {
  const named = <Agent extends AgentSummary>(agent: Agent): Agent =>
    agent.mcpToolsets.includes(ALL_TOOLSETS) ? { ...agent, mcpToolsets: names } : agent
  return Object.freeze({
    ...agents,
    list: async () => (await agents.list()).map(named),
    async find(id: string) {
      const agent = await agents.find(id)
      return agent && named(agent)
    },
  })
}
