import type { ConnectionTargets } from './connection-targets.ts'
import type { ServerTarget } from './upstream/server.ts'

/** What was said of one server. Addresses are those of `ServerUrl`, so equal ones are the same server. */
export interface Side {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly password?: string | undefined
}

export interface TargetsInput {
  /** For both sides, where they do not have their own. */
  readonly notebook: Side
  readonly document: Side
  readonly sandbox: Side
  readonly documentId?: string | undefined
  readonly kernelId?: string | undefined
  readonly allowTokenInUrl: boolean
}

export interface ResolvedTargets {
  readonly targets: ConnectionTargets
  /** What the person who wrote this may not have meant. */
  readonly warnings: readonly string[]
}

export const DEFAULT_URL = 'http://localhost:8888'

/**
 * Which server stores documents and which runs code, each with its credentials. Credentials belong to the address they were given for: a side
 * without its own gets only those of the very same server.
 */
export function resolveTargets(input: TargetsInput): ResolvedTargets {
  const shared = { ...input.notebook, url: input.notebook.url ?? DEFAULT_URL }
  const sandboxUrl = input.sandbox.url ?? shared.url
  const documentUrl = input.document.url ?? input.notebook.url ?? sandboxUrl
  const atSandbox = { ...input.sandbox, url: sandboxUrl }
  const atDocument = { ...input.document, url: documentUrl }
  const target = (side: ServerTarget): ServerTarget =>
    Object.freeze({ ...side, ...(input.allowTokenInUrl && { allowTokenInUrl: true }) })
  const sandbox = target(withCredentials(atSandbox, [shared, atDocument]))
  const document = target(withCredentials(atDocument, [shared, atSandbox]))
  const targets = {
    document: isSame(document, sandbox) ? sandbox : document,
    sandbox,
    documentId: input.documentId,
    kernelId: input.kernelId,
  }
  return { targets: Object.freeze(targets), warnings: warningsAbout(targets, shared) }
}

type Located = Side & { readonly url: string }

function withCredentials({ url, ...own }: Located, others: readonly Located[]): ServerTarget {
  const found = hasCredentials(own) ? own : others.find((other) => other.url === url && hasCredentials(other))
  return { url, token: found?.token, password: found?.password }
}

function warningsAbout({ document, sandbox }: ConnectionTargets, shared: Located): readonly string[] {
  const used = [document, sandbox]
  const isConfigured = used.some(hasCredentials) || hasCredentials(shared)
  const bare = [...new Set(used)].filter((target) => isConfigured && !hasCredentials(target))
  const unused = hasCredentials(shared) && used.every(({ url }) => url !== shared.url)
  return [
    ...bare.map(
      ({ url }) =>
        `no token and no password is configured for ${url}, so none is sent there: those of another server stay with that server`,
    ),
    ...(unused
      ? [`the credentials of NOTEBOOK_URL (${shared.url}) are not used: no side is on that server`]
      : []),
  ]
}

function hasCredentials({ token, password }: Side): boolean {
  return token !== undefined || password !== undefined
}

function isSame(one: ServerTarget, other: ServerTarget): boolean {
  return one.url === other.url && one.token === other.token && one.password === other.password
}
