import type { CommonDefinition } from './server-definition.ts'

const DAY_MS = 86_400_000

/** Of a server that no file describes: it is neither watched nor cut short, and all its tools are offered. */
export const PLAIN_DEFINITION = Object.freeze<Omit<CommonDefinition, 'name' | 'autoStart'>>({
  lazy: false,
  idleStopMs: 0,
  readyMs: 30_000,
  restart: { policy: 'on-failure', maxRestarts: undefined, delayMs: undefined },
  health: undefined,
  limits: {
    timeoutMs: DAY_MS,
    resetOnProgress: true,
    maxTotalMs: DAY_MS,
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
