import type { SpentUsage } from '@quire/agent/spent'
import type { Usage } from '../budget-contract.ts'
import type * as wire from '../contract.ts'
import type { Budget, Member, TaskCounts, Team, TeamDraft, TeamMetrics } from '../team.ts'

export function toTeamSummary(team: Team): wire.TeamSummary {
  return {
    team_id: team.id,
    name: team.name,
    status: team.status,
    ...(team.pauseReason !== undefined && { pause_reason: team.pauseReason }),
    execution_mode: team.executionMode,
    members_count: team.members.length,
    ...toCountsBody(team),
    ...(team.budget && { budget: toBudgetBody(team.budget) }),
    usage: toUsage(team.spent),
  }
}

export function toTeamBody(team: Team): wire.Team {
  const { supervisor, budget } = team
  return {
    team_id: team.id,
    name: team.name,
    ...(team.description !== undefined && { description: team.description }),
    status: team.status,
    execution_mode: team.executionMode,
    members: team.members.map(toMemberBody),
    ...(supervisor && {
      supervisor: { member_name: supervisor.memberName, review_required: supervisor.reviewRequired },
    }),
    ...(budget && { budget: toBudgetBody(budget) }),
    usage: toUsage(team.spent),
    created_at: team.createdAt,
    ...(team.startedAt !== undefined && { started_at: team.startedAt }),
    ...(team.pauseReason !== undefined && { pause_reason: team.pauseReason }),
    tasks_active: team.tasksActive,
  }
}

function toMemberBody({ name, model, systemPrompt, mcpToolsets, maxSteps, agentUrl }: Member) {
  return {
    name,
    ...(model !== undefined && { model }),
    system_prompt: systemPrompt,
    mcp_toolsets: [...mcpToolsets],
    ...(maxSteps !== undefined && { max_steps: maxSteps }),
    ...(agentUrl !== undefined && { agent_url: agentUrl }),
  }
}

function toBudgetBody({ maxTokens, maxCostUsd }: Budget) {
  return {
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(maxCostUsd !== undefined && { max_cost_usd: maxCostUsd }),
  }
}

export function toMetricsBody(metrics: TeamMetrics): wire.TeamMetrics {
  return {
    ...toCountsBody(metrics),
    members_active: metrics.membersActive,
    uptime_seconds: metrics.uptimeSeconds,
    usage: toUsage(metrics.spent),
  }
}

function toCountsBody(counts: TaskCounts) {
  return {
    tasks_total: counts.tasksTotal,
    tasks_completed: counts.tasksCompleted,
    tasks_failed: counts.tasksFailed,
    tasks_pending: counts.tasksPending,
    tasks_cancelled: counts.tasksCancelled,
    tasks_active: counts.tasksActive,
  }
}

export function toUsage({ promptTokens, completionTokens, cost }: SpentUsage): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cost !== undefined && { cost_usd: cost }),
  }
}

export function toDraft(body: wire.NewTeam, defaultModel: string): TeamDraft {
  const { name, description, execution_mode, members, supervisor, budget } = body
  return {
    name,
    ...(typeof description === 'string' && { description }),
    executionMode: execution_mode,
    members: members.map((member) => toMember(member, defaultModel)),
    ...(supervisor && {
      supervisor: { memberName: supervisor.member_name, reviewRequired: supervisor.review_required ?? false },
    }),
    ...(budget && { budget: changeBudget({}, budget) }),
  }
}

function toMember(member: wire.NewTeam['members'][number], defaultModel: string): Member {
  const { name, model, system_prompt, mcp_toolsets, max_steps, agent_url } = member
  return {
    name,
    ...(typeof agent_url === 'string' ? { agentUrl: agent_url } : { model: model ?? defaultModel }),
    systemPrompt: system_prompt ?? '',
    mcpToolsets: [...new Set(mcp_toolsets)],
    ...(typeof max_steps === 'number' && { maxSteps: max_steps }),
  }
}

/** What the changes leave out stays, null takes a limit away. */
export function changeBudget(
  budget: Budget,
  {
    max_tokens = budget.maxTokens,
    max_cost_usd = budget.maxCostUsd,
  }: NonNullable<wire.TeamChanges['budget']>,
): Budget {
  return {
    ...(typeof max_tokens === 'number' && { maxTokens: max_tokens }),
    ...(typeof max_cost_usd === 'number' && { maxCostUsd: max_cost_usd }),
  }
}
