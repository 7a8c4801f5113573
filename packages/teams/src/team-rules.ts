import type { z } from 'zod'

/** What no field of a new team can tell by itself. */

interface MemberFields {
  readonly agent_url?: string | null | undefined
  readonly model?: unknown
  readonly mcp_toolsets?: unknown
  readonly max_steps?: unknown
}

const OF_MODELS = ['model', 'mcp_toolsets', 'max_steps'] as const

/** An agent elsewhere has these of its own, and would never hear of ours. */
export function checkMember(member: MemberFields, context: z.RefinementCtx): void {
  if (typeof member.agent_url !== 'string') return
  for (const key of OF_MODELS)
    if (member[key] !== undefined && member[key] !== null)
      addFault(context, [key], 'is decided by the agent at "agent_url": leave one of the two out')
}

interface TeamFields {
  readonly execution_mode: string
  readonly members: readonly { readonly name: string }[]
  readonly supervisor?: { readonly member_name: string } | null | undefined
}

export function checkTeam(
  { execution_mode, members, supervisor }: TeamFields,
  context: z.RefinementCtx,
): void {
  const names = new Map<string, number>()
  for (const [index, { name }] of members.entries()) {
    const first = names.get(name)
    if (first === undefined) names.set(name, index)
    else
      addFault(
        context,
        ['members', index, 'name'],
        `is also the name of members[${first}]: give each member a name of its own`,
      )
  }
  if (supervisor && !names.has(supervisor.member_name))
    addFault(context, ['supervisor', 'member_name'], 'must be the name of one of the members')
  if (execution_mode === 'supervisor' && !supervisor)
    addFault(
      context,
      ['supervisor'],
      'is missing: in the mode "supervisor" it must name the member who gives out the tasks, such as {"member_name": "Ada"}',
    )
}

function addFault(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message })
}
