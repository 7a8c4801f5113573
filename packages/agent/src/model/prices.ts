import type { Usage } from '../usage.ts'
import type { Model } from './model.ts'

export type Prices = Pick<Model, 'contextWindow' | 'cost'>

export const NO_PRICES: Prices = Object.freeze({ contextWindow: undefined, cost: () => undefined })

/** From the table that comes with the package: nothing is fetched. It takes some 40 ms to load, so it is loaded with the first model that it may know. */
export async function loadPrices(provider: { readonly id: string } | { readonly url: string }, name: string) {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices')
  const found = findProvider(
    'id' in provider ? { providerId: provider.id } : { providerApiUrl: provider.url },
  )
  if (found === undefined) return NO_PRICES
  const known = calcPrice({ input_tokens: 0, output_tokens: 0 }, name, { provider: found })
  if (known === null) return NO_PRICES
  return Object.freeze({
    contextWindow: known.model.context_window,
    cost: (usage: Usage) => calcPrice(toPriced(usage), name, { provider: found })?.total_price,
  })
}

function toPriced({ promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    ...(cacheReadTokens !== undefined && { cache_read_tokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
  }
}
