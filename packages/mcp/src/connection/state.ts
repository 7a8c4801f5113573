export const CONNECTION_STATES = ['connecting', 'ready', 'backoff', 'failed', 'closed'] as const
export type ConnectionState = (typeof CONNECTION_STATES)[number]

export const CONNECTION_CHANGES = ['connected', 'lost', 'gave-up', 'retry', 'close'] as const
export type ConnectionChange = (typeof CONNECTION_CHANGES)[number]

type Row = Readonly<Partial<Record<ConnectionChange, ConnectionState>>>

const TRANSITIONS: Readonly<Record<ConnectionState, Row>> = Object.freeze({
  connecting: Object.freeze({ connected: 'ready', lost: 'backoff', 'gave-up': 'failed', close: 'closed' }),
  ready: Object.freeze({ lost: 'backoff', 'gave-up': 'failed', close: 'closed' }),
  backoff: Object.freeze({ retry: 'connecting', close: 'closed' }),
  failed: Object.freeze({ retry: 'connecting', close: 'closed' }),
  closed: Object.freeze({}),
})

/** Undefined where the change has no meaning in that state. */
export function nextState(state: ConnectionState, change: ConnectionChange): ConnectionState | undefined {
  return TRANSITIONS[state][change]
}
