import type { Answer } from '@quire/kit/app/answer'
import type { RpcError } from '../../rpc.ts'
import type { ReadHeaders } from '../front-options.ts'
import { refuse } from '../http/refusal.ts'
import { CODES } from '../protocol/codes.ts'
import { BATCH_REVISION, LEGACY_REVISIONS } from '../protocol/revisions.ts'
import type { StreamRefusal } from './session-streams.ts'
import type { OpenRefusal } from './sessions.ts'

export const MAX_BATCH = 50
const RETRY = Object.freeze({ 'retry-after': '60' })
const ANYTHING = '*/*'

const server = (message: string): RpcError => ({ code: CODES.server, message })
const invalid = (message: string): RpcError => ({ code: CODES.invalidRequest, message })

const OPEN_REFUSALS: Readonly<Record<OpenRefusal, readonly [number, RpcError, typeof RETRY?]>> =
  Object.freeze({
    full: [503, server('All sessions are taken. Try again later, or end one that is no longer used.'), RETRY],
    'caller-full': [
      429,
      server('You have too many sessions. End one of them with DELETE, or wait until it has gone stale.'),
      RETRY,
    ],
    revoked: [401, server('Your credential has just been revoked. Use another one.')],
  })

const STREAM_REFUSALS: Readonly<Record<StreamRefusal, readonly [number, RpcError, typeof RETRY?]>> =
  Object.freeze({
    open: [409, server('The session has its stream open already, and there is only one.')],
    unknown: [400, server('There is nothing left to resume after this Last-Event-ID.')],
    full: [429, server('You have too many streams open. Close one of them.'), RETRY],
  })

export function refuseSession(why: OpenRefusal, body?: unknown): Answer {
  const [status, error, headers] = OPEN_REFUSALS[why]
  return refuse(status, error, body, headers)
}

export function refuseStream(why: StreamRefusal): Answer {
  const [status, error, headers] = STREAM_REFUSALS[why]
  return refuse(status, error, undefined, headers)
}

export function refuseUnknownSession(body: unknown): Answer {
  const message = 'There is no such session. Open a new one with initialize.'
  return refuse(404, { code: CODES.noSession, message }, body)
}

export function refuseWithoutSession(body: unknown): Answer {
  const message = 'The header Mcp-Session-Id is missing. Open a session with initialize first.'
  return refuse(400, server(message), body)
}

export function refuseVersion(version: string, body: unknown): Answer {
  const message = `The protocol version ${version} is not spoken in sessions. Use one of ${LEGACY_REVISIONS.join(', ')}.`
  return refuse(400, server(message), body)
}

export function refuseBatch(isSpoken: boolean): Answer {
  const message = isSpoken
    ? `A batch holds up to ${MAX_BATCH} messages, and no initialize.`
    : `Batches belong to revision ${BATCH_REVISION} alone: send one message at a time.`
  return refuse(400, invalid(message))
}

export function refuseSecondInitialize(body: unknown): Answer {
  return refuse(
    400,
    invalid('The session is initialized already. Open another one without Mcp-Session-Id.'),
    body,
  )
}

/** Undefined where the client takes what it may get. */
export function refuseUnacceptable(
  headers: ReadHeaders,
  types: readonly string[],
  body?: unknown,
): Answer | undefined {
  const accepted = headers.get('accept') ?? ''
  if (accepted.includes(ANYTHING) || types.every((type) => accepted.includes(type))) return undefined
  return refuse(406, server(`The client must accept ${types.join(' and ')}.`), body)
}
