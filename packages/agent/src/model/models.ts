import { AgentError } from '../agent-error.ts'
import { type Clock, systemClock } from './clock.ts'
import { isPriced } from './is-priced.ts'
import type { Model } from './model.ts'
import type { createOpener } from './open-provider-model.ts'
import { configure, type Environment, requirementsOf } from './provider-configuration.ts'
import { ALIASES, PROVIDERS, type Provider } from './providers.ts'
import { withRetries } from './with-retries.ts'

/** A provider, or one model of it, as `GET /configure/config` lists them. */
export interface ModelListing {
  /** `provider:name`; `provider:*` where it has any. */
  readonly id: string
  readonly name: string
  /** The variables it needs are set. */
  readonly available: boolean
  /** Names of the variables, never their values. */
  readonly requires: readonly string[]
}

export interface Models {
  /** Throws an `AgentError`: `unknown_model` for a provider that does not exist, `unconfigured` for one without its key. Loads what it needs of the provider. */
  open(id: string): Promise<Model>
  list(): readonly ModelListing[]
  /** Whether it is known in advance what its answers cost, also of a model without its key here. Throws an `unknown_model` as `open` does. */
  isPriced(id: string): Promise<boolean>
}

export interface ModelsOptions {
  /** The only place that keys and base URLs are taken from. */
  readonly environment: Environment
  /** What answers to `builtin:guide`. */
  readonly guide: Model
  /** For the providers that are asked through their packages. Servers of chat completions are asked over `node:http`. */
  readonly fetch?: typeof fetch
  /** How often a request is made again at the most; 3 by default. */
  readonly retries?: number
  /** The longest silence of a provider, before its answer and in it; 120 seconds by default. Before the answer it is asked once more. */
  readonly idleMs?: number
  readonly clock?: Clock
  readonly random?: () => number
}

const GUIDE = 'builtin:guide'
const RETRIES = 3
const IDLE_MS = 120_000
const MOST_OPENED = 100
const NOT_IN_NAMES = /[\s\p{Cc}\p{Cf}?#%\\]/u

export function createModels(options: ModelsOptions): Models {
  const { environment, guide, retries = RETRIES, idleMs = IDLE_MS, clock = systemClock } = options
  const { fetch = globalThis.fetch, random = Math.random } = options

  let opener: Promise<ReturnType<typeof createOpener>> | undefined
  // Each prompt opens its model, and making one costs as much as streaming a short answer.
  const opened = new Map<string, Model>()

  async function open(id: string): Promise<Model> {
    if (id === GUIDE) return guide
    const known = opened.get(id)
    if (known !== undefined) return known
    const { provider, name } = parse(id)
    const configuration = configure(provider, environment)
    // Nothing of a provider is loaded before it is asked for.
    opener ??= import('./open-provider-model.ts').then((module) =>
      module.createOpener({ environment, fetch, idleMs, clock }),
    )
    const once = await (await opener)({ id, provider, name, configuration })
    const model = withRetries(once, { retries, clock, random })
    const [oldest] = opened.keys()
    if (opened.size >= MOST_OPENED && oldest !== undefined) opened.delete(oldest)
    opened.set(id, model)
    return model
  }

  return Object.freeze({
    open,
    list: () => [guideListing(), ...PROVIDERS.flatMap((one) => listings(one, environment))],
    async isPriced(id: string): Promise<boolean> {
      if (id === GUIDE) return true
      const { provider, name } = parse(id)
      return isPriced(provider, name)
    },
  })
}

function parse(id: string): { readonly provider: Provider; readonly name: string } {
  const at = id.indexOf(':')
  const prefix = at === -1 ? id : id.slice(0, at)
  const name = id.slice(prefix.length + 1)
  const provider = PROVIDERS.find((one) => one.id === (ALIASES.get(prefix) ?? prefix))
  if (provider === undefined || at === -1) throw unknownProvider(id)
  if (name === '' || name === '*')
    throw new AgentError(
      'unknown_model',
      `"${id}" names no model: write one of ${provider.title} after the colon.`,
    )
  if (!isName(name))
    throw new AgentError(
      'unknown_model',
      `${JSON.stringify(id.slice(0, 100))} is no name of a model: after the colon there are no spaces, no "?", "#", "%" and "\\", and no ".." as a part of a path.`,
    )
  return { provider, name }
}

/** Some providers have the name in their path, where these would lead elsewhere. */
function isName(name: string): boolean {
  return !NOT_IN_NAMES.test(name) && !name.split('/').some((part) => part === '..' || part === '.')
}

function unknownProvider(id: string): AgentError {
  const known = PROVIDERS.map((provider) => provider.id).join(', ')
  return new AgentError(
    'unknown_model',
    `There is no model "${id.slice(0, 100)}": a model is written provider:name, with a provider of ${known}, or it is ${GUIDE}.`,
  )
}

function guideListing(): ModelListing {
  return { id: GUIDE, name: 'Guide (built in, rule-based, no key)', available: true, requires: [] }
}

function listings(provider: Provider, environment: Environment): readonly ModelListing[] {
  const { id, title, models } = provider
  const { isMet, names } = requirementsOf(provider, environment)
  const rest = { available: isMet, requires: names }
  return [
    ...models.map((model) => ({ id: `${id}:${model}`, name: `${title} ${model}`, ...rest })),
    { id: `${id}:*`, name: `${title}, any model`, ...rest },
  ]
}
