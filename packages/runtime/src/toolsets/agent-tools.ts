import type { Tool } from '@quire/agent/tool'
import type { AgentRecord } from '../agents/agent-record.ts'

/** The tools that an agent has right now. */
export interface AgentTools {
  /** Of its toolsets that are ready, prefixed by the toolset's name; those that are for user interfaces alone are left out. Waits a little for toolsets that are just starting. */
  toolsOf(agent: AgentRecord, signal: AbortSignal): Promise<readonly Tool[]>
}
