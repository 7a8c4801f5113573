import type { Team } from '@quire/teams/contract'
import { Progress } from '../ui/progress.tsx'
import { toDollars, toGrouped } from './numbers.ts'

const NEARLY = 0.8

/** How much of its budget a team has used; without one, only what it used. */
export function BudgetBar({ budget, usage }: Pick<Team, 'budget' | 'usage'>) {
  if (budget?.max_tokens === undefined && budget?.max_cost_usd === undefined)
    return <p className="text-sm text-quiet">{toUsageText(usage)}</p>
  return (
    <div className="flex flex-col gap-2">
      {budget.max_tokens !== undefined && (
        <Spent
          label="Budget of tokens"
          spent={usage.total_tokens}
          most={budget.max_tokens}
          text={`${toGrouped(usage.total_tokens)} of ${toGrouped(budget.max_tokens)} tokens`}
        />
      )}
      {budget.max_cost_usd !== undefined && (
        <Spent
          label="Budget of money"
          spent={usage.cost_usd ?? 0}
          most={budget.max_cost_usd}
          text={`${usage.cost_usd === undefined ? 'unknown' : toDollars(usage.cost_usd)} of ${toDollars(budget.max_cost_usd)}`}
        />
      )}
    </div>
  )
}

interface SpentProps {
  readonly label: string
  readonly spent: number
  readonly most: number
  readonly text: string
}

function Spent({ label, spent, most, text }: SpentProps) {
  return (
    <div className="flex flex-col gap-1">
      <span className="text-sm text-quiet tabular-nums">{text}</span>
      <Progress
        label={label}
        text={text}
        max={most}
        parts={[{ value: Math.min(spent, most), className: toColour(spent / most) }]}
      />
    </div>
  )
}

function toColour(share: number): string {
  if (share >= 1) return 'bg-bad'
  return share >= NEARLY ? 'bg-warn' : 'bg-accent'
}

function toUsageText({ total_tokens, cost_usd }: Team['usage']): string {
  if (total_tokens === 0) return 'Nothing spent yet, no budget'
  return `${toGrouped(total_tokens)} tokens${cost_usd === undefined ? '' : ` for ${toDollars(cost_usd)}`}, no budget`
}
