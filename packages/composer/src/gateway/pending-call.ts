import { isRecord } from '@quire/mcp/json'
import type { Params, Reply } from '../rpc.ts'
import type { GatewayRequest } from './gateway.ts'

/** How a call reaches its client, whichever of the client's requests waits for it at the moment. */
export interface CallLine {
  readonly signal: AbortSignal
  readonly notify: NonNullable<GatewayRequest['notify']>
  readonly ask: NonNullable<GatewayRequest['ask']>
}

/** A call that several requests of its client wait for, one after the other. */
export interface PendingCall {
  /** The reply; undefined when its server has asked something. The call is cancelled with the request that waits for it. */
  wait(request: GatewayRequest): Promise<Reply | undefined>
  /** What is unanswered, in the form of `inputRequests`. */
  questions(): Params
  /** Takes what fits of `inputResponses`. */
  answer(inputResponses: unknown): void
  cancel(reason: Error): void
}

interface Question {
  readonly method: string
  readonly params: Params
  readonly answer: (response: unknown) => void
}

type Settled = { readonly reply: Reply } | { readonly error: unknown }

/** Begun by the request that waits first; `check` throws what a server gets in place of an answer. */
export function createPendingCall(
  first: GatewayRequest,
  send: (line: CallLine) => Promise<Reply>,
  check: (method: string, params: Params) => void,
): PendingCall {
  const control = new AbortController()
  const questions = new Map<string, Question>()
  let asked = Promise.withResolvers<'asked'>()
  let { notify } = first
  let count = 0

  const settled = send({
    signal: control.signal,
    notify: (method, params) => notify?.(method, params),
    ask,
  }).then(
    (reply): Settled => ({ reply }),
    (error: unknown): Settled => ({ error }),
  )

  async function ask(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    check(method, params)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    count += 1
    const key = `question-${count}`
    questions.set(key, { method, params, answer: resolve })
    asked.resolve('asked')
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      questions.delete(key)
    }
  }

  return Object.freeze({
    async wait(request) {
      if (questions.size === 0) asked = Promise.withResolvers()
      const cancel = () => control.abort(request.signal.reason)
      request.signal.addEventListener('abort', cancel, { once: true })
      if (request.signal.aborted) cancel()
      notify = request.notify
      try {
        const event = await Promise.race([settled, asked.promise])
        if (event === 'asked') return undefined
        if ('error' in event) throw event.error
        return event.reply
      } finally {
        request.signal.removeEventListener('abort', cancel)
        notify = undefined
      }
    },
    questions: () =>
      Object.fromEntries([...questions].map(([key, { method, params }]) => [key, { method, params }])),
    answer(inputResponses) {
      if (!isRecord(inputResponses)) return
      for (const [key, question] of questions) {
        const response = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
        if (!isRecord(response)) continue
        questions.delete(key)
        question.answer(response)
      }
    },
    cancel: (reason) => control.abort(reason),
  } satisfies PendingCall)
}
