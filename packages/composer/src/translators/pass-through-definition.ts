import type { CommonDefinition, RemoteDefinition, StdioDefinition } from '../server-definition.ts'

const MINUTE_MS = 60_000

/** For a server that is only passed through: how long a call may take is its client's to say. */
const COMMON = Object.freeze<Omit<CommonDefinition, 'name'>>({
  autoStart: false,
  lazy: false,
  idleStopMs: 0,
  readyMs: 30_000,
  restart: { policy: 'on-failure', maxRestarts: undefined, delayMs: undefined },
  health: undefined,
  limits: {
    timeoutMs: 60 * MINUTE_MS,
    resetOnProgress: true,
    maxTotalMs: 24 * 60 * MINUTE_MS,
    inFlight: 64,
    queued: 256,
    breakerFailures: 0,
    breakerOpenMs: 0,
  },
  pin: false,
  includeTools: undefined,
  excludeTools: [],
  version: undefined,
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
