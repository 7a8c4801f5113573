import { AgentError } from '../agent-error.ts'
import type { Provider } from './providers.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface ProviderConfiguration {
  readonly baseURL: string
  readonly values: Readonly<Record<string, string>>
  /** Those of the variables in use that hold a secret, or that may hold one. */
  readonly keyVariables: readonly string[]
}

/** What a header can hold, and every key is. */
const KEY = /^[\x21-\x7e]+$/
const NOT_SECRET: ReadonlySet<string> = new Set(['AWS_REGION'])

/** The set of variables that is there, else the one to be set. */
export function requirementsOf(provider: Provider, environment: Environment) {
  const found = provider.needs.find((names) => names.every((name) => read(environment, name) !== undefined))
  return { isMet: found !== undefined, names: found ?? provider.needs[0] ?? [] }
}

/** Throws an `unconfigured` that names what to set. No value of a variable is ever in a message. */
export function configure(provider: Provider, environment: Environment): ProviderConfiguration {
  const { isMet, names } = requirementsOf(provider, environment)
  if (!isMet) throw missing(provider)
  const values: Record<string, string> = {}
  for (const name of [...names, ...(provider.mayUse ?? [])]) {
    const value = read(environment, name)
    if (value === undefined) continue
    if (!KEY.test(value))
      throw new AgentError(
        'unconfigured',
        `${name} holds characters that cannot be sent. Copy it again, on one line.`,
      )
    values[name] = value
  }
  const keys = [...names, ...(provider.mayUse ?? [])].filter(isKey)
  return { baseURL: baseUrl(provider, environment, values), values, keyVariables: keys }

  function isKey(name: string): boolean {
    return !NOT_SECRET.has(name) && !provider.baseUrlVariables.includes(name)
  }
}

function missing({ title, needs }: Provider): AgentError {
  const sets = needs.map((names) => names.join(' and ')).join(', or ')
  return new AgentError(
    'unconfigured',
    `${title} is not set up here: set ${sets} in the environment and start again, or use the model builtin:guide, which needs none.`,
  )
}

function baseUrl(
  { baseUrlVariables, baseURL, path = (given) => given }: Provider,
  environment: Environment,
  values: Readonly<Record<string, string>>,
): string {
  const variable = baseUrlVariables.find((name) => read(environment, name) !== undefined)
  const url = URL.parse(variable === undefined ? (baseURL?.(values) ?? '') : (environment[variable] ?? ''))
  if (url === null || !isPlain(url))
    throw new AgentError(
      'unconfigured',
      `${variable ?? Object.keys(values).join(' and ')} makes no address of an API: it has to be a plain http or https URL, without a user, a password or a query.`,
    )
  return `${url.origin}${path(url.pathname.replace(/\/+$/, ''))}`
}

function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}

function read(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined
}
