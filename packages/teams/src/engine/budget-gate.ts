import type { SpentUsage } from '@quire/agent/spent'
import { type BudgetGate, BudgetSpent } from '../members/members.ts'
import type { Budget } from '../team.ts'
import type { TeamStore } from './tables.ts'
import { spentOf } from './task-rows.ts'
import { budgetOf } from './team-rows.ts'

/** Looks at what is stored, so that all processes count together. Requests that are under way are not known yet: a budget can be exceeded by these. */
export function createBudgetGate(store: TeamStore, teamId: string): BudgetGate {
  return Object.freeze({
    async check() {
      const row = await store.db
        .selectFrom('team')
        .select(['budget', 'spent'])
        .where('id', '=', teamId)
        .executeTakeFirst()
      // Of a team that was deleted meanwhile nothing can be written any more.
      if (!row) return
      assertLeft(budgetOf(row), spentOf(row))
    },
  })
}

function assertLeft({ maxTokens, maxCostUsd }: Budget, spent: SpentUsage): void {
  const tokens = spent.promptTokens + spent.completionTokens
  if (maxTokens !== undefined && tokens >= maxTokens)
    throw new BudgetSpent(
      `The team is paused: its budget of ${maxTokens} tokens is used up (${tokens} were spent). ${RAISE}`,
    )
  const cost = spent.cost ?? Number.POSITIVE_INFINITY
  if (maxCostUsd !== undefined && cost >= maxCostUsd)
    throw new BudgetSpent(
      `The team is paused: its budget of ${maxCostUsd} US dollars is used up (${spent.cost ?? 'an unknown sum'} was spent). ${RAISE}`,
    )
}

const RAISE = 'Give it a higher budget, then resume it.'
