import type { AgentError } from '../../agent-error.ts'
import type { ModelEvent, ModelRequest } from '../model.ts'
import { readFault } from '../provider-fault.ts'
import { brokeOff, garbled, toAgentError } from '../to-agent-error.ts'
import { createChunkReader } from './chunk-reader.ts'
import { type BodyReader, createEventLines, createWholeBody } from './event-lines.ts'
import type { HttpExchange } from './http-exchange.ts'
import { type ChatOptions, openChat } from './open-chat.ts'

const LAST = '[DONE]'

/** For one reader, which waits for each event. Those that came together are handed out without a wait for the network. */
export function createChatAnswer(
  request: ModelRequest,
  options: ChatOptions,
): AsyncIterableIterator<ModelEvent> {
  const { failure } = options
  const chunks = createChunkReader((event) => void events.push(event), toFailure)
  let source: { readonly exchange: HttpExchange; readonly body: BodyReader } | undefined
  let events: ModelEvent[] = []
  let given = 0
  let isOver = false
  let thrown: { readonly error: unknown } | undefined

  return {
    next: () => (given < events.length || isOver ? give() : pull()),
    async return() {
      if (!isOver) source?.exchange.close()
      isOver = true
      events = []
      thrown = undefined
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }

  async function give(): Promise<IteratorResult<ModelEvent>> {
    const value = events[given++]
    if (value !== undefined) return { done: false, value }
    const failed = thrown
    thrown = undefined
    if (failed !== undefined) throw failed.error
    return { done: true, value }
  }

  async function pull(): Promise<IteratorResult<ModelEvent>> {
    events = []
    given = 0
    try {
      source ??= await open()
      const { exchange, body } = source
      // Whoever left while it was opened is not there to close it.
      if (isOver) exchange.close()
      while (events.length === 0 && !isOver) {
        const bytes = await exchange.read()
        if (bytes !== undefined) body.push(bytes)
        else finish(body)
      }
    } catch (error) {
      fail(error)
    }
    return give()
  }

  async function open() {
    const { exchange, contentType } = await openChat(request, options)
    // There are servers that answer in one piece, though they were asked for a stream.
    const isWhole = contentType.startsWith('application/json')
    return { exchange, body: isWhole ? createWholeBody(take) : createEventLines(take) }
  }

  function take(data: string): void {
    if (isOver) return
    if (data === LAST) finish()
    else chunks.take(JSON.parse(data))
  }

  function finish(body?: BodyReader): void {
    body?.end()
    if (isOver) return
    if (!chunks.isWhole()) throw chunks.hasBegun() ? brokeOff(failure) : garbled(failure)
    chunks.end()
    isOver = true
    source?.exchange.release()
  }

  /** What fails after the server has said that it is done does not undo the answer. */
  function fail(error: unknown): void {
    source?.exchange.close()
    if (isOver) return
    isOver = true
    const { signal } = request
    if (chunks.isWhole() && !signal.aborted) chunks.end()
    else thrown = { error: signal.aborted ? signal.reason : toFailure(error) }
  }

  function toFailure(error: unknown): AgentError {
    return toAgentError(error, readFault(error), failure)
  }
}
