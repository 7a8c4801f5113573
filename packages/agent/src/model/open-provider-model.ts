import { AgentError } from '../agent-error.ts'
import { createChatModel } from './chat-completions/chat-model.ts'
import { createHttpPost } from './chat-completions/http-post.ts'
import type { ChatConnection } from './chat-completions/open-chat.ts'
import type { Clock } from './clock.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { createMask } from './mask.ts'
import type { Model } from './model.ts'
import { loadPrices, NO_PRICES, type Prices } from './prices.ts'
import type { Environment, ProviderConfiguration } from './provider-configuration.ts'
import type { Provider } from './providers.ts'
import type { FailureContext } from './to-agent-error.ts'

export interface OpenerOptions {
  readonly environment: Environment
  readonly fetch: typeof fetch
  readonly idleMs: number
  readonly clock: Clock
}

export interface ModelToOpen {
  readonly id: string
  readonly provider: Provider
  readonly name: string
  readonly configuration: ProviderConfiguration
}

/** Opens models, of which those at one address share their connections. */
export function createOpener({ environment, fetch, idleMs, clock }: OpenerOptions) {
  /** By provider: each has one base URL, for as long as the environment is the same. */
  const connections = new Map<string, ChatConnection>()
  const watch = { idleMs, clock }

  return async (wanted: ModelToOpen): Promise<Model> => {
    const { id, provider, name, configuration } = wanted
    const { baseURL, values } = configuration
    const { title } = provider
    const failure = toFailureContext(wanted, clock)
    if (provider.load === undefined) {
      const prices = await pricesOf(provider, baseURL, name)
      return createChatModel({ id, prices, name, failure, connection: connectionTo(wanted) })
    }
    const [{ createAiSdkModel }, create, prices] = await Promise.all([
      import('./ai-sdk-model.ts'),
      provider
        .load({ baseURL, values, fetch: createGuardedFetch({ fetch, title, ...watch }) })
        .catch((error: Error) => {
          throw notLoaded(title, error)
        }),
      pricesOf(provider, baseURL, name),
    ])
    return createAiSdkModel({ id, model: create(name), prices, provider, failure })
  }

  function connectionTo({ provider, configuration }: ModelToOpen): ChatConnection {
    const known = connections.get(provider.id)
    if (known !== undefined) return known
    const { baseURL, values, keyVariables } = configuration
    const [key] = keyVariables.flatMap((variable) => values[variable] ?? [])
    const post = createHttpPost({
      url: `${baseURL}/chat/completions`,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        // Firewalls in front of a server turn away who does not say a name.
        'user-agent': 'quire',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      // As Node's own fetch has it.
      ...(environment.NODE_USE_ENV_PROXY === '1' && { proxyEnv: environment }),
      title: provider.title,
      ...watch,
    })
    const connection = { post, isUsageRefused: false }
    connections.set(provider.id, connection)
    return connection
  }
}

function notLoaded(title: string, cause: Error): AgentError {
  return new AgentError('internal', `What is needed for ${title} could not be loaded. Install again.`, {
    cause,
  })
}

function toFailureContext({ provider, name, configuration }: ModelToOpen, clock: Clock): FailureContext {
  const { baseURL, values, keyVariables } = configuration
  return {
    title: provider.title,
    name,
    origin: new URL(baseURL).origin,
    keyVariables,
    baseUrlVariable: provider.baseUrlVariables[0] ?? '',
    mask: createMask(keyVariables.map((variable) => values[variable] ?? '')),
    now: clock.now,
  }
}

async function pricesOf({ prices }: Provider, url: string, name: string): Promise<Prices> {
  if (prices === undefined) return NO_PRICES
  return loadPrices(prices === 'url' ? { url } : { id: prices }, name)
}
