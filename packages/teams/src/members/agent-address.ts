/** Where agents of a runtime may be asked: the address that all of theirs begin with, such as `http://host:8765/api/v1/agents/`. */
export interface AllowedAgents {
  readonly url: string
  /** The bearer token of the runtime. Goes there and nowhere else. */
  readonly key?: string | undefined
}

/** An agent that may be asked. */
export interface AgentAddress {
  readonly promptUrl: string
  /** `…/api/v1/conversations/`. */
  readonly conversationsUrl: string
  /** For messages. */
  readonly name: string
  readonly key: string | undefined
}

export type AddressReader = (url: string) => AgentAddress | { readonly refusal: string }

interface Prefix {
  readonly origin: string
  readonly path: string
  readonly key: string | undefined
}

const LONGEST_URL = 2_048
const LONGEST_SHOWN = 200
/** What holds a secret, and what parsers of addresses disagree about or quietly change. */
const DOUBTFUL = /[^\x21-\x7e]|[\\%?#@]|\/\.{1,2}(?:\/|$)/
const NOT_PLAIN =
  'The address of an agent has to be a plain one, of http or https: without a user, a query, a fragment, dots or escapes in its path.'
const AGENT_ID = /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/
const AGENTS_PATH = /^(?:\/[A-Za-z0-9._~-]+)*\/agents\/$/

/** Throws where what is allowed is itself no such address. */
export function createAddressReader(allowed: readonly AllowedAgents[]): AddressReader {
  const prefixes = allowed.map(toPrefix)

  return function readAddress(url) {
    const parsed = url.length > LONGEST_URL ? undefined : toPlainUrl(url)
    // It may hold a password: it is not repeated.
    if (parsed === undefined) return { refusal: NOT_PLAIN }
    const path = parsed.pathname.replace(/\/$/, '')
    const prefix = prefixes.find((one) => one.origin === parsed.origin && path.startsWith(one.path))
    if (prefix === undefined)
      return refuse(url, `is not allowed: agents of ${listOf(prefixes)} are. Allow it in the settings first`)
    const id = path.slice(prefix.path.length)
    if (!AGENT_ID.test(id))
      return refuse(url, `names no agent: it has to be ${prefix.origin}${prefix.path}ID`)
    const base = `${prefix.origin}${prefix.path.slice(0, -'agents/'.length)}`
    return {
      promptUrl: `${base}agents/${id}/prompt`,
      conversationsUrl: `${base}conversations/`,
      name: `The agent "${id}" at ${prefix.origin}`,
      key: prefix.key,
    }
  }
}

function toPrefix({ url, key }: AllowedAgents): Prefix {
  const parsed = toPlainUrl(url)
  const path = `${parsed?.pathname.replace(/\/$/, '')}/`
  if (parsed === undefined || !AGENTS_PATH.test(path))
    throw new Error(
      'An address of agents has to be a plain one that ends with "/agents/", such as http://127.0.0.1:8765/api/v1/agents/.',
    )
  return { origin: parsed.origin, path, key }
}

function toPlainUrl(url: string): URL | undefined {
  return /^https?:\/\//i.test(url) && !DOUBTFUL.test(url) ? (URL.parse(url) ?? undefined) : undefined
}

function refuse(url: string, why: string): { readonly refusal: string } {
  return { refusal: `${JSON.stringify(url.slice(0, LONGEST_SHOWN))} ${why}.` }
}

function listOf(prefixes: readonly Prefix[]): string {
  return prefixes.map(({ origin, path }) => `${origin}${path}`).join(', ') || 'none'
}
