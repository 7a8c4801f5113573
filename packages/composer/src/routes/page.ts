import { z } from '@hono/zod-openapi'

export interface Page {
  readonly limit: number
  readonly offset: number
}

const MOST_ITEMS = 1_000
const DEFAULT_ITEMS = 100
const MOST_SKIPPED = 1_000_000_000

/** The query of every list. */
export const pageQuery = {
  limit: wholeNumber(1, MOST_ITEMS, DEFAULT_ITEMS, 'The most entries to return'),
  offset: wholeNumber(0, MOST_SKIPPED, 0, 'How many to skip'),
}

/** Of a query, where numbers are texts. */
export function wholeNumber(least: number, most: number, otherwise: number, description: string) {
  const message = `must be a whole number from ${least} to ${most}`
  return z
    .string(message)
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .pipe(z.number().min(least, message).max(most, message))
    .default(otherwise)
    .openapi({ type: 'integer', minimum: least, maximum: most, default: otherwise, description })
}

export function slicePage<Item>(
  items: readonly Item[],
  { limit, offset }: Page,
): { readonly items: readonly Item[]; readonly page: Page & { readonly total: number } } {
  return {
    items: items.slice(offset, offset + limit),
    page: { total: items.length, offset, limit },
  }
}
