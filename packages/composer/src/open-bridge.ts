import type { Environment } from '@quire/mcp/connection/child-environment'
import { createCalls } from './calls/create-calls.ts'
import type { StdioFrontOptions } from './front/stdio-front.ts'
import { openLink } from './link/open-link.ts'
import { createSupervisor } from './supervisor/create-supervisor.ts'
import { runBridge } from './translators/bridge.ts'
import { toRemoteDefinition } from './translators/pass-through-definition.ts'

export interface RemoteAddress {
  readonly transport: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface OpenBridgeOptions extends StdioFrontOptions {
  readonly version: string
  readonly environment: Environment
  /** Ends it; so does the end of stdin. */
  readonly signal: AbortSignal
}

/** A server somewhere else, for the client at the other end of stdin and stdout. Rejects with a `ComposerError` where it cannot be reached. */
export function openBridge(remote: RemoteAddress, options: OpenBridgeOptions): Promise<void> {
  const { logger, environment, version } = options
  return runBridge(toRemoteDefinition('remote', remote), {
    ...options,
    calls: createCalls(),
    createSupervisor: (onEvent) =>
      createSupervisor({
        openLink,
        logger,
        environment,
        clientInfo: { name: 'quire-bridge', version },
        onEvent,
      }),
  })
}
