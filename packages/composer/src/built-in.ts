import type { Principal } from '@quire/kit/auth/principal'
import type { BuiltInDefinition } from './server-definition.ts'

export type BuiltInServer = Pick<BuiltInDefinition, 'name' | 'createServer'>

export interface BuiltIn {
  readonly servers: readonly BuiltInServer[]
  /** Whoever has these servers already would see each of their tools twice. */
  isHiddenFrom(principal: Principal | undefined): boolean
}

const READY_MS = 30_000
/** Its own deadlines come first. */
const CALL_MS = 86_400_000

/** Supervised as every other server, with nothing left to set. */
export function toBuiltInDefinition({ name, createServer }: BuiltInServer): BuiltInDefinition {
  return Object.freeze<BuiltInDefinition>({
    transport: 'built-in',
    name,
    createServer,
    autoStart: true,
    lazy: false,
    idleStopMs: 0,
    readyMs: READY_MS,
    restart: { policy: 'on-failure', maxRestarts: undefined, delayMs: undefined },
    health: undefined,
    limits: {
      timeoutMs: CALL_MS,
      resetOnProgress: true,
      maxTotalMs: CALL_MS,
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
}
