import type { AgentRecord } from '../agents/agent-record.ts'
import { isAgentId, unknownAgent } from '../routes/agents.ts'
import type { TransportParts } from './parts.ts'

export async function requireAgent(agents: TransportParts['agents'], id: string): Promise<AgentRecord> {
  const agent = isAgentId(id) ? await agents.find(id) : undefined
  if (!agent) throw unknownAgent(id)
  return agent
}
