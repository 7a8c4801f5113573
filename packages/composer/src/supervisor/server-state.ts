export const SERVER_STATES = ['starting', 'running', 'stopping', 'stopped', 'crashed'] as const
export type ServerState = (typeof SERVER_STATES)[number]

/**
 * failed: no start, or no good end; whether another start follows is told apart. ended: of its own accord and well.
 * reopen: a remote forgot our session. gone: nothing of it is left.
 */
export const SERVER_CHANGES = [
  'start',
  'ready',
  'failed',
  'ended',
  'reopen',
  'stop',
  'gone',
  'retry',
] as const
export type ServerChange = (typeof SERVER_CHANGES)[number]

type Row = Readonly<Partial<Record<ServerChange, ServerState>>>

const TRANSITIONS: Readonly<Record<ServerState, Row>> = Object.freeze({
  starting: Object.freeze({ ready: 'running', failed: 'crashed', stop: 'stopping' }),
  running: Object.freeze({ failed: 'crashed', ended: 'stopped', reopen: 'starting', stop: 'stopping' }),
  stopping: Object.freeze({ gone: 'stopped' }),
  stopped: Object.freeze({ start: 'starting' }),
  crashed: Object.freeze({ start: 'starting', retry: 'starting', stop: 'stopping' }),
})

/** Undefined where the change has no meaning in that state. */
export function nextState(state: ServerState, change: ServerChange): ServerState | undefined {
  return TRANSITIONS[state][change]
}
