import { metadataUrl, type ProtectedResource } from '@quire/kit/app/resource-metadata'
import type { Authentication } from '@quire/kit/auth/bearer'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import type { TokenVerifier } from '@quire/kit/auth/principal'
import { hashToken } from '@quire/kit/auth/token'
import { ConfigError } from '@quire/kit/config/config-error'
import type { Logger } from '@quire/kit/log'
import { SCOPES } from '../contract.ts'
import type { NotebookSettings } from '../settings.ts'
import { loadModuleVerifier } from './module-verifier.ts'

/** How MCP clients get in, as it goes into the configuration of the service. Nothing at all: everybody does. */
export interface ClientAccess {
  readonly authentication?: Authentication
  readonly protectedResource?: ProtectedResource
}

export interface ClientAccessDeps {
  readonly logger: Logger
  readonly cwd: string
}

export type AccessSettings = Pick<
  NotebookSettings,
  | 'mcpToken'
  | 'mcpTokenVerifier'
  | 'mcpJwksUrl'
  | 'mcpIssuer'
  | 'mcpAudience'
  | 'insecureMcpNoauth'
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'tlsCert'
>

/** Whoever holds the shared token. It has no scopes listed, and so all of them. */
const SHARED_SUBJECT = 'mcp-client'
const REALM = 'notebook-tools'
const SHORT_TOKEN = 16
const MCP_PATH = '/mcp'

/** A verifier beats the shared token. Throws a `ConfigError` for settings that contradict each other, and for want of any. */
export async function createClientAccess(
  settings: AccessSettings,
  { logger, cwd }: ClientAccessDeps,
): Promise<ClientAccess> {
  const jwks = jwksSettings(settings)
  if (settings.insecureMcpNoauth) {
    if (settings.mcpToken ?? settings.mcpTokenVerifier ?? jwks)
      logger.warn('--insecure-mcp-noauth is given, so nobody is asked for the token that is configured')
    return {}
  }
  if (settings.mcpTokenVerifier !== undefined) {
    const verify = await loadModuleVerifier(settings.mcpTokenVerifier, { logger, cwd })
    return { authentication: { realm: REALM, verify } }
  }
  if (jwks) {
    const protectedResource = {
      resource: `${addressOf(settings)}${MCP_PATH}`,
      path: MCP_PATH,
      issuer: jwks.issuer,
      scopes: SCOPES,
    }
    return {
      authentication: {
        realm: REALM,
        verify: await createKeySetVerifier(jwks),
        resourceMetadata: metadataUrl(protectedResource),
      },
      protectedResource,
    }
  }
  if (settings.mcpToken === undefined) return refuseOpenDoor()
  if (settings.mcpToken.length < SHORT_TOKEN)
    logger.warn(`MCP_TOKEN has fewer than ${SHORT_TOKEN} characters and can be guessed: use a longer one`)
  const { verify } = createKeyRing([{ hash: hashToken(settings.mcpToken), subject: SHARED_SUBJECT }])
  return { authentication: { realm: REALM, verify } }
}

interface KeySet {
  readonly jwksUri: string
  readonly issuer: string
  readonly audience: string
}

function jwksSettings(settings: AccessSettings): KeySet | undefined {
  const { mcpJwksUrl: jwksUri, mcpIssuer: issuer, mcpAudience: audience, mcpTokenVerifier } = settings
  if (jwksUri === undefined && issuer === undefined && audience === undefined) return undefined
  if (jwksUri === undefined || issuer === undefined || audience === undefined)
    return refuse(
      '--mcp-jwks-url, --mcp-issuer and --mcp-audience',
      'one is missing',
      'give all three or none',
    )
  if (mcpTokenVerifier !== undefined)
    return refuse('--mcp-token-verifier', '--mcp-jwks-url is given too', 'give only one of the two')
  return { jwksUri, issuer, audience }
}

async function createKeySetVerifier(keySet: KeySet): Promise<TokenVerifier> {
  const { createJwksVerifier } = await import('@quire/kit/auth/jwks')
  try {
    return createJwksVerifier(keySet)
  } catch (error) {
    return refuse('--mcp-jwks-url', keySet.jwksUri, error instanceof Error ? error.message : String(error))
  }
}

/** Clients are told this address before they have a token, so it cannot be guessed. */
function addressOf({ publicUrl, host, port, tlsCert }: AccessSettings): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  if (port === 0 || host === '0.0.0.0' || host === '::') {
    const message =
      'is needed with --mcp-jwks-url here: clients are told the address that their tokens must be for'
    return refuse('--public-url', 'no value given', message)
  }
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`
}

function refuseOpenDoor(): never {
  return refuse(
    '--transport',
    'streamable-http',
    'requires MCP client authentication: set MCP_TOKEN (or --mcp-token), or name a verifier by --mcp-token-verifier or --mcp-jwks-url; --insecure-mcp-noauth lets everybody in who reaches the port',
  )
}

function refuse(setting: string, origin: string, message: string): never {
  throw new ConfigError([{ setting, origin, message }])
}
