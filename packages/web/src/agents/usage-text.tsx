import type { Usage } from '@quire/runtime/contract'

const COUNT = new Intl.NumberFormat('en')
const MONEY = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 3,
})

export interface UsageTextProps {
  readonly usage: Usage
  /** What was used for, e.g. `this answer`. */
  readonly what: string
}

/** Tokens that were sent and written, and their price where the service knows it. */
export function UsageText({ usage, what }: UsageTextProps) {
  if (usage.prompt_tokens + usage.completion_tokens === 0) return undefined
  return (
    <span className="text-quiet tabular-nums" title={`Tokens of ${what}`}>
      {COUNT.format(usage.prompt_tokens)} tokens in · {COUNT.format(usage.completion_tokens)} out
      {usage.cost_usd !== undefined && ` · ${MONEY.format(usage.cost_usd)}`}
    </span>
  )
}
