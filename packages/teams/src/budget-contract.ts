import { z } from '@hono/zod-openapi'
import { object, positiveNumber, wholeNumber } from '@quire/kit/app/request-fields'

const MOST_TOKENS = 1_000_000_000_000
const MOST_DOLLARS = 1_000_000_000

/** Null is as good as absent for a new one, and takes a limit away from one that is changed. */
export const BudgetChanges = object({
  max_tokens: wholeNumber(1, MOST_TOKENS)
    .nullish()
    .openapi({ description: 'Of prompts and answers together', example: 200_000 }),
  max_cost_usd: positiveNumber(MOST_DOLLARS)
    .nullish()
    .openapi({ description: 'Needs members whose models have a price', example: 2.5 }),
})

export const NewBudget = BudgetChanges.refine(
  ({ max_tokens, max_cost_usd }) => typeof (max_tokens ?? max_cost_usd) === 'number',
  {
    error: 'limits nothing: give "max_tokens", "max_cost_usd" or both, or leave it out',
  },
)

export const Budget = z
  .object({ max_tokens: z.int().optional(), max_cost_usd: z.number().optional() })
  .openapi('Budget')

export const Usage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    cost_usd: z.number().optional().openapi({ description: 'Absent where nobody knows all of the prices' }),
  })
  .openapi('Usage', {
    example: { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500, cost_usd: 0.004 },
  })
export type Usage = z.infer<typeof Usage>
