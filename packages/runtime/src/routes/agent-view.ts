import type { AgentSummary as AgentInList, AgentPatch, AgentRecord } from '../agents/agent-record.ts'
import type { Agent, AgentChanges, AgentSummary } from '../contract.ts'

export function toAgentSummary(agent: AgentInList): AgentSummary {
  const { id, name, description, transport, model, mcpToolsets, toolApproval } = agent
  return {
    id,
    name,
    description,
    transport,
    model,
    mcp_toolsets: [...mcpToolsets],
    tool_approval: toolApproval,
  }
}

export function toAgent(agent: AgentRecord): Agent {
  return {
    ...toAgentSummary(agent),
    system_prompt: agent.systemPrompt,
    max_steps: agent.maxSteps,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  }
}

/** What the body leaves out, stays. */
export function toPatch(body: AgentChanges): AgentPatch {
  const { name, description, transport, model, system_prompt, mcp_toolsets, max_steps, tool_approval } = body
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(transport !== undefined && { transport }),
    ...(model !== undefined && { model }),
    ...(system_prompt !== undefined && { systemPrompt: system_prompt }),
    ...(mcp_toolsets !== undefined && { mcpToolsets: [...new Set(mcp_toolsets)] }),
    ...(max_steps !== undefined && { maxSteps: max_steps }),
    ...(tool_approval !== undefined && { toolApproval: tool_approval }),
  }
}
