import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/client'
import type { Era } from './era.ts'
import type { ConnectionError } from './errors.ts'
import type { Session } from './session.ts'
import type { ConnectionState } from './state.ts'

export interface ConnectionStatus {
  readonly state: ConnectionState
  /** Why it is not ready. */
  readonly error?: ConnectionError
  /** Losses and failures in a row. */
  readonly failures: number
  readonly pid: number | null
  readonly era?: Era
  readonly protocolVersion?: string
  readonly server?: Implementation
  readonly capabilities?: ServerCapabilities
  readonly instructions?: string
}

export function toStatus(
  state: ConnectionState,
  session: Session | undefined,
  error: ConnectionError | undefined,
  failures: number,
): ConnectionStatus {
  const client = session?.client
  const protocolVersion = client?.getNegotiatedProtocolVersion()
  const server = client?.getServerVersion()
  const capabilities = client?.getServerCapabilities()
  const instructions = client?.getInstructions()
  return Object.freeze({
    state,
    failures,
    pid: session?.pid ?? null,
    ...(error && { error }),
    ...(session && { era: session.era }),
    ...(protocolVersion && { protocolVersion }),
    ...(server && { server }),
    ...(capabilities && { capabilities }),
    ...(instructions && { instructions }),
  })
}
