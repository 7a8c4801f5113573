import type { Authentication } from '@quire/kit/auth/bearer'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { isLoopbackHost } from '@quire/kit/guard/host'
import type { Logger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { Hono } from 'hono'
import type { UpConfig } from './config.ts'
import { createFileVerifier, OWNER } from './file-verifier.ts'
import { createHome } from './home/home.ts'
import { services } from './services.ts'
import { ensureToken, tokenFile } from './token-file.ts'
import { readVersion } from './version.ts'

export interface Up {
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>
  readonly access: Access
  close(): void
}

/** How a client gets in. `file` is where the token lies, unless it came from the configuration. */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly token: string; readonly file?: string }

/** All services on one app, behind one token. The outer app has no middleware: each service guards itself, with its own error body. */
export function createUp(config: UpConfig, { logger }: { readonly logger: Logger }): Up {
  const door = createDoor(config, logger)
  const home = createHome({
    version: readVersion(),
    services,
    app: {
      logger,
      metrics: createMetrics({ service: 'quire', processMetrics: true }),
      guards: { allowedHosts: allowedHosts(config), allowedOrigins: allowedOrigins(config) },
      trustedProxies: config.trustedProxies,
      ...(door.authentication && { authentication: door.authentication }),
    },
  })
  const outer = new Hono().mount('/', home.fetch)
  return Object.freeze({ fetch: outer.fetch, access: door.access, close: door.close })
}

interface Door {
  readonly access: Access
  readonly authentication?: Authentication
  close(): void
}

function createDoor(config: UpConfig, logger: Logger): Door {
  const realm = 'quire'
  const nothingToClose = () => undefined
  if (config.insecureNoauth) return { access: { kind: 'open' }, close: nothingToClose }
  if (config.token !== undefined) {
    const { verify } = createKeyRing([{ hash: hashToken(config.token), subject: OWNER }])
    return {
      access: { kind: 'token', token: config.token },
      authentication: { verify, realm },
      close: nothingToClose,
    }
  }
  const file = tokenFile(config.dataDir)
  const token = ensureToken(file)
  const { verify, close } = createFileVerifier(file, logger)
  return { access: { kind: 'token', token, file }, authentication: { verify, realm }, close }
}

/** A bind to one address that is not loopback was asked for by name: it is answered to. */
function allowedHosts({ host, allowedHosts, publicUrl }: UpConfig): readonly string[] {
  const bound = isLoopbackHost(host) || host === '0.0.0.0' || host === '::' ? [] : [host]
  return [...allowedHosts, ...bound, ...(publicUrl ? [new URL(publicUrl).host] : [])]
}

function allowedOrigins({ allowedOrigins, publicUrl }: UpConfig): readonly string[] {
  return [...allowedOrigins, ...(publicUrl ? [new URL(publicUrl).origin] : [])]
}
