import type { NewTeam } from '@quire/teams/contract'
import { pathOf } from '../services/served.ts'
import { type BudgetForm, toBudget, toBudgetForm } from './budget-form.ts'
import { toNumber } from './numbers.ts'

/** A member as it is typed in. */
export interface MemberForm {
  /** Tells members apart while their names change. */
  readonly key: string
  readonly name: string
  readonly kind: 'model' | 'agent'
  readonly model: string
  readonly agent: string
  readonly system_prompt: string
  readonly toolsets: string
  readonly max_steps: string
}

export interface TeamForm extends BudgetForm {
  readonly name: string
  readonly description: string
  readonly execution_mode: NewTeam['execution_mode']
  readonly members: readonly MemberForm[]
  /** The name of a member, or empty. */
  readonly supervisor: string
  readonly review_required: boolean
}

/** No server can be there: the service knows its own agents by it, whatever its port is. */
const INSIDE = 'http://localhost:0'

export function createMember(name = ''): MemberForm {
  return {
    key: crypto.randomUUID(),
    name,
    kind: 'model',
    model: '',
    agent: '',
    system_prompt: '',
    toolsets: '',
    max_steps: '',
  }
}

export function createTeamForm(): TeamForm {
  return {
    name: '',
    description: '',
    execution_mode: 'parallel',
    members: [createMember('Ada'), createMember('Bob')],
    supervisor: '',
    review_required: false,
    ...toBudgetForm(undefined),
  }
}

/** Null is as good as absent. */
export function toNewTeam(form: TeamForm): NewTeam {
  const budget = toBudget(form)
  return {
    name: form.name,
    description: toText(form.description),
    execution_mode: form.execution_mode,
    members: form.members.map(toMember),
    supervisor:
      form.supervisor === '' ? null : { member_name: form.supervisor, review_required: form.review_required },
    budget: budget.max_tokens === null && budget.max_cost_usd === null ? null : budget,
  }
}

function toMember(member: MemberForm): NewTeam['members'][number] {
  const common = { name: member.name, system_prompt: toText(member.system_prompt) }
  if (member.kind === 'agent')
    return {
      ...common,
      agent_url: INSIDE + pathOf('runtime', `/api/v1/agents/${encodeURIComponent(member.agent)}`),
    }
  return {
    ...common,
    model: toText(member.model),
    mcp_toolsets: [...toNames(member.toolsets)],
    max_steps: toNumber(member.max_steps),
  }
}

/** Names with commas between. */
export function toNames(text: string): readonly string[] {
  return text.split(',').flatMap((name) => toText(name) ?? [])
}

function toText(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}
