import type { Agent, AgentChanges, NewAgent } from '@quire/runtime/contract'

export interface AgentForm {
  readonly id: string
  readonly name: string
  readonly model: string
  readonly description: string
  readonly systemPrompt: string
  readonly toolsets: readonly string[]
  readonly maxSteps: string
  readonly toolApproval: boolean
}

export function toForm(agent: Agent | undefined): AgentForm {
  return {
    id: agent?.id ?? '',
    name: agent?.name ?? '',
    model: agent?.model ?? '',
    description: agent?.description ?? '',
    systemPrompt: agent?.system_prompt ?? '',
    toolsets: agent?.mcp_toolsets ?? [],
    maxSteps: agent ? String(agent.max_steps) : '',
    toolApproval: agent?.tool_approval ?? false,
  }
}

/** What is left empty is left to the service. */
export function toBody(form: AgentForm, agent: Agent | undefined): NewAgent | AgentChanges {
  const id = form.id.trim()
  const model = form.model.trim()
  return {
    ...(!agent && id !== '' && { id }),
    ...(model !== '' && { model }),
    ...(form.maxSteps !== '' && { max_steps: Number(form.maxSteps) }),
    name: form.name,
    description: form.description,
    system_prompt: form.systemPrompt,
    mcp_toolsets: [...form.toolsets],
    tool_approval: form.toolApproval,
  }
}
