import type { NewTeam } from '@quire/teams/contract'
import { toNumber } from './numbers.ts'

type Budget = NonNullable<NewTeam['budget']>

/** A budget as it is typed in. Empty is without a limit. */
export interface BudgetForm {
  readonly max_tokens: string
  readonly max_cost_usd: string
}

export function toBudgetForm(budget: Budget | undefined): BudgetForm {
  return {
    max_tokens: String(budget?.max_tokens ?? ''),
    max_cost_usd: String(budget?.max_cost_usd ?? ''),
  }
}

export function toBudget({ max_tokens, max_cost_usd }: BudgetForm): Budget {
  return { max_tokens: toNumber(max_tokens), max_cost_usd: toNumber(max_cost_usd) }
}
