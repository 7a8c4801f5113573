import type { Answer } from '@quire/kit/app/answer'
import type { RpcId } from '../protocol/message.ts'

/** Where the messages of one POST go once a single JSON document will not do. */
export interface AnswerStream {
  readonly answer: Answer
  /** With the id of the request that the message answers, if it does. */
  send(message: Buffer, id?: RpcId): void
  /** Lets its client go, who can come back for the rest. */
  pause?(): void
  end(): void
}

export interface ExchangeOptions {
  /** How many requests the POST holds. */
  readonly requests: number
  readonly isBatch: boolean
  /** A client that hears nothing for longer may give up; 0: a stream from the beginning. */
  readonly streamAfterMs: number
  /** Undefined when there may be no stream more. */
  readonly openStream: () => AnswerStream | undefined
}

/** The answer to one POST: JSON when it is the first thing there is, else a stream that ends with it. */
export interface Exchange {
  readonly response: Promise<Answer>
  /** Something before the answer; false when it cannot be told. */
  send(message: Buffer): boolean
  /** Nothing more comes for a while. */
  pause(): void
  /** Undefined for a request that nobody waits for any more. The status counts for a single JSON answer alone. */
  answer(id: RpcId, message: Buffer | undefined, status?: number): void
  /** In place of all answers. */
  refuse(refusal: Answer): void
  /** There is no response yet: whoever waits for it waits for JSON. */
  isWaiting(): boolean
}

const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json' })
/** Nothing is to be said. */
export const ACCEPTED: Answer = Object.freeze({ status: 202, headers: {}, body: null })
const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')

export function createExchange(options: ExchangeOptions): Exchange {
  const { isBatch, streamAfterMs, openStream } = options
  const { promise: response, resolve } = Promise.withResolvers<Answer>()
  const answers: { readonly id: RpcId; readonly message: Buffer }[] = []
  let missing = options.requests
  let isWaiting = true
  let stream: AnswerStream | undefined
  const timer = streamAfterMs > 0 ? setTimeout(startStream, streamAfterMs).unref() : undefined
  if (!timer) startStream()

  function startStream(): boolean {
    if (!isWaiting) return stream !== undefined
    stream = openStream()
    if (!stream) return false
    for (const { id, message } of answers) stream.send(message, id)
    settle(stream.answer)
    return true
  }

  function settle(given: Answer): void {
    isWaiting = false
    clearTimeout(timer)
    resolve(given)
  }

  return {
    response,
    isWaiting: () => isWaiting,
    send(message) {
      if (missing === 0 || !startStream()) return false
      stream?.send(message)
      return true
    },
    pause() {
      stream?.pause?.()
    },
    answer(id, message, status = 200) {
      if (missing === 0) return
      missing -= 1
      if (stream) {
        if (message) stream.send(message, id)
        if (missing === 0) stream.end()
        return
      }
      if (message) answers.push({ id, message })
      if (missing === 0 && isWaiting) settle(join(answers, isBatch, status))
    },
    refuse(refusal) {
      missing = 0
      if (isWaiting) settle(refusal)
      else stream?.end()
    },
  }
}

export function jsonAnswer(body: Buffer, status = 200, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, body }
}

function join(answers: readonly { readonly message: Buffer }[], isBatch: boolean, status: number): Answer {
  const [only] = answers
  // All of them were cancelled.
  if (!only) return ACCEPTED
  if (!isBatch) return jsonAnswer(only.message, status)
  const parts = answers.flatMap(({ message }, index) => [index === 0 ? OPEN : COMMA, message])
  return jsonAnswer(Buffer.concat([...parts, CLOSE]))
}
