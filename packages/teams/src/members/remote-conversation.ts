import { AgentError } from '@quire/agent/agent-error'
import type { Logger } from '@quire/kit/log'
import { type Answered, assertOk, type ExchangeOptions, exchange, readJson } from './remote-exchange.ts'
import { garbled } from './remote-failures.ts'
import { type Frame, readFrames } from './remote-frames.ts'
import { RemoteState } from './remote-state.ts'

/** One conversation with an agent of a runtime, over its public routes. Fails with an `AgentError`, or with the signal's reason. */
export interface RemoteConversation {
  /** Undefined: there is none yet. */
  look(): Promise<RemoteState | undefined>
  prompt(message: string): AsyncIterable<Frame>
  /** The turn that is under way, from its beginning; nothing where none is. */
  join(): AsyncIterable<Frame>
  /** Works where everything else is aborted already, and never fails: what cannot be reached cannot be cancelled. */
  cancel(): Promise<void>
}

export interface RemoteConversationOptions extends ExchangeOptions {
  readonly id: string
  readonly signal: AbortSignal
  readonly logger: Pick<Logger, 'debug'> | undefined
}

/** What a runtime takes at once. */
const MOST_BODY = 1024 * 1024
const CANCEL_MS = 2_000

export function createRemoteConversation(options: RemoteConversationOptions): RemoteConversation {
  const { address, id, signal, logger } = options
  const url = `${address.conversationsUrl}${id}`

  async function look(): Promise<RemoteState | undefined> {
    const answered = await exchange(options, { method: 'GET', url, signal })
    if (answered.status === 404) {
      answered.leave()
      return undefined
    }
    await assertOk(answered, address)
    const { data } = RemoteState.safeParse(await readJson(answered, address))
    if (data === undefined) throw garbled(address, 'showed a conversation of another shape')
    return data
  }

  async function* prompt(message: string): AsyncGenerator<Frame> {
    const body = JSON.stringify({ message, conversation_id: id, on_disconnect: 'continue' })
    if (Buffer.byteLength(body) > MOST_BODY)
      throw new AgentError(
        'too_long',
        `The task, with the results that it builds on, is longer than the ${MOST_BODY} bytes that a runtime takes. Make it shorter.`,
      )
    yield* framesOf(await exchange(options, { method: 'POST', url: address.promptUrl, body, signal }))
  }

  async function* join(): AsyncGenerator<Frame> {
    const answered = await exchange(options, { method: 'GET', url: `${url}/stream`, signal })
    if (answered.status === 204) return answered.leave()
    yield* framesOf(answered)
  }

  async function* framesOf(answered: Answered): AsyncGenerator<Frame> {
    await assertOk(answered, address)
    if (!answered.headers.get('content-type')?.startsWith('text/event-stream')) {
      answered.leave()
      throw garbled(address, 'answered a prompt with something else than a stream of events')
    }
    try {
      yield* readFrames(answered.chunks())
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof AgentError ? error : garbled(address, 'sent frames that make no sense', error)
    }
  }

  async function cancel(): Promise<void> {
    try {
      const deadline = AbortSignal.timeout(CANCEL_MS)
      const answered = await exchange(options, { method: 'POST', url: `${url}/cancel`, signal: deadline })
      answered.leave()
    } catch (err) {
      logger?.debug({ err }, 'a turn of a remote agent could not be cancelled')
    }
  }

  return Object.freeze({ look, prompt, join, cancel })
}
