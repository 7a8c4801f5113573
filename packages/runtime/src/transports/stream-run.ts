import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { SseMessage } from '@quire/kit/stream/sse-frame'
import type { Context } from 'hono'
import { failureOfEnd, type StreamFailure } from '../stream-failure.ts'
import type { TransportParts } from './parts.ts'
import type { Run } from './run.ts'
import type { TurnStep } from './turn-steps.ts'

const CONVERSATION_HEADER = 'x-conversation-id'

export interface RunStream {
  /** In the words of a protocol. */
  write(steps: AsyncIterable<TurnStep>): AsyncIterable<SseMessage>
  /** The last that is said where it is us who end the stream. */
  failed(failure: StreamFailure): readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export const BROKEN_STREAM =
  'The stream broke off on our side. The turn goes on: its conversation will have the answer.'

/** Whoever leaves, the turn goes on. */
export function streamRun(
  c: Context<ServiceEnv>,
  { sse, streamEnd }: Pick<TransportParts, 'sse' | 'streamEnd'>,
  run: Run,
  { write, failed, headers }: RunStream,
): Response {
  const signal = streamEnd(c.get('principal'))
  return sse.response(c, (gone) => write(run.steps(gone)), {
    onError: () => toMessages(failed({ detail: BROKEN_STREAM, statusCode: 500 })),
    onEnd: (why) => toMessages(failed(failureOfEnd(why))),
    headers: { [CONVERSATION_HEADER]: run.turn.conversationId, ...headers },
    ...(signal && { signal }),
  })
}

function toMessages(lines: readonly string[]): SseMessage[] {
  return lines.map((data) => ({ data }))
}
