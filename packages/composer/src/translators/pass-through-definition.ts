import { PLAIN_DEFINITION } from '../plain-definition.ts'
import type { RemoteDefinition, StdioDefinition } from '../server-definition.ts'

const HOUR_MS = 3_600_000

/** How long a call may take is its client's to say. */
const COMMON = Object.freeze({
  ...PLAIN_DEFINITION,
  autoStart: false,
  limits: { ...PLAIN_DEFINITION.limits, timeoutMs: HOUR_MS },
})

export function toStdioDefinition(
  name: string,
  program: Pick<StdioDefinition, 'command' | 'env' | 'workingDir'>,
): StdioDefinition {
  return {
    ...COMMON,
    name,
    transport: 'stdio',
    ...program,
    maxMemoryBytes: undefined,
    logStderr: true,
    logFile: undefined,
  }
}

export function toRemoteDefinition(
  name: string,
  remote: Pick<RemoteDefinition, 'transport' | 'url' | 'headers'>,
): RemoteDefinition {
  return { ...COMMON, name, ...remote, program: undefined }
}
