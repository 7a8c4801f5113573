import { metadataUrl, type ProtectedResource } from '@quire/kit/app/resource-metadata'
import type { Authentication } from '@quire/kit/auth/bearer'
import { keysFromTokens } from '@quire/kit/auth/key-ring'
import { createComposerAuthentication } from './access/composer-authentication.ts'
import { ComposerError } from './composer-error.ts'
import type { ApiKeySettings, AuthenticationSettings, ComposerConfig } from './config/config.ts'
import { SCOPES } from './scopes.ts'

export interface DoorOptions {
  /** A parent's, in place of what the file says. */
  readonly authentication?: Authentication
  /** Beside those of the file. */
  readonly apiKeys: readonly string[]
  /** The address that clients see. */
  readonly publicUrl?: string
}

/** Who is let in, by the file and by the command line. */
export interface Door {
  /** Absent: everybody. */
  readonly authentication?: Authentication
  /** Where tokens come from; absent where they are not signed, or our own address is not known. */
  readonly protectedResource?: ProtectedResource
  /** Throws a `ComposerError` where a running composer cannot follow another file. */
  assertFits(config: ComposerConfig): void
  configure(config: ComposerConfig): Promise<void>
}

export async function createDoor(initial: ComposerConfig, options: DoorOptions): Promise<Door> {
  const { authentication: parent, apiKeys } = options
  // Whoever stands before us has asked already.
  if (parent) return { authentication: parent, assertFits: () => undefined, configure: async () => undefined }
  const extra = keysFromTokens(apiKeys, 'api-key').map(({ subject }, index) => toKey(apiKeys[index], subject))
  const withExtra = ({ authentication }: ComposerConfig): AuthenticationSettings =>
    extra.length === 0
      ? authentication
      : { ...authentication, enabled: true, apiKeys: [...authentication.apiKeys, ...extra] }
  const own = await createComposerAuthentication(withExtra(initial), {
    authorization: initial.authorization,
  })
  if (!own) return { assertFits: assertStillOpen, configure: async () => undefined }
  const protectedResource = protectedResourceOf(initial, options)
  return {
    authentication: protectedResource ? { ...own, resourceMetadata: metadataUrl(protectedResource) } : own,
    ...(protectedResource && { protectedResource }),
    assertFits: (next) => assertStillClosed(withExtra(next)),
    configure: (next) => own.configure(withExtra(next), next.authorization),
  }
}

/** Tokens are for the address of MCP: the public one, or the audience where that is such an address. */
function protectedResourceOf(
  { authentication: { jwt }, transport: { streamableHttp } }: ComposerConfig,
  { publicUrl }: DoorOptions,
): ProtectedResource | undefined {
  if (!jwt || !streamableHttp.enabled) return undefined
  const { path } = streamableHttp
  const { issuer, audience } = jwt
  const resource = publicUrl === undefined ? audience : `${publicUrl.replace(/\/+$/, '')}${path}`
  const isKnown = resource.endsWith(path) && [resource, issuer].every(isWebAddress)
  return isKnown ? { resource, path, issuer, scopes: SCOPES } : undefined
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function assertStillClosed({ enabled }: AuthenticationSettings): void {
  if (enabled) return
  throw new ComposerError(
    'CONFIG_INVALID',
    '[authentication] cannot be turned off while the composer runs: write the file by hand, and start the composer anew.',
  )
}

function assertStillOpen({ authentication }: ComposerConfig): void {
  if (!authentication.enabled) return
  throw new ComposerError(
    'CONFIG_INVALID',
    '[authentication] cannot be turned on while the composer runs without it: write the file by hand, and start the composer anew.',
  )
}

function toKey(key: string | undefined, subject: string): ApiKeySettings {
  if (key === undefined) throw new Error('there is a subject for each key')
  return { key, subject, scopes: undefined, roles: [] }
}
