import { loadPrices, NO_PRICES } from './prices.ts'
import type { Provider } from './providers.ts'

/** By the table alone, with or without a key. What stands behind an address that somebody set is not known by it. */
export async function isPriced({ prices }: Provider, name: string): Promise<boolean> {
  if (prices === undefined || prices === 'url') return false
  return (await loadPrices({ id: prices }, name)) !== NO_PRICES
}
