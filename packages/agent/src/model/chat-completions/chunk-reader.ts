import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { NO_USAGE, type Usage } from '../../usage.ts'
import type { FinishReason, ModelEvent } from '../model.ts'
import { createGatheredCalls } from './gathered-calls.ts'
import { Nonsense, toText } from './nonsense.ts'
import { toUsage } from './to-usage.ts'

export interface ChunkReader {
  /** Throws `Nonsense`, or what `toError` makes of an error that the server tells of. */
  take(chunk: unknown): void
  /** Any chunk has come. */
  hasBegun(): boolean
  /** The server has said why it ends. */
  isWhole(): boolean
  /** The last events, where it is whole. */
  end(): void
}

type PartKind = 'text' | 'reasoning'

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'filtered'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
])

/**
 * From the chunks of one answer to events: https://platform.openai.com/docs/api-reference/chat-streaming. What is read is checked, and nothing else:
 * servers add fields of their own, and leave out what they do not know.
 */
export function createChunkReader(
  emit: (event: ModelEvent) => void,
  toError: (error: unknown) => Error,
): ChunkReader {
  const calls = createGatheredCalls()
  let open: PartKind | undefined
  let finish: string | undefined
  let usage: Usage = NO_USAGE
  let hasBegun = false
  let isRefusal = false

  return {
    take(chunk) {
      if (!isJsonObject(chunk)) throw new Nonsense('A chunk is no object.')
      const error = errorOf(chunk)
      if (error !== undefined) throw toError(error)
      const { choices } = chunk
      if (isJsonObject(chunk.usage)) usage = toUsage(chunk.usage)
      // Some send the tokens in a chunk without choices, others with none in the list.
      else if (!Array.isArray(choices)) throw new Nonsense('A chunk has no choices.')
      hasBegun = true
      const choice: JsonValue | undefined = Array.isArray(choices) ? choices[0] : undefined
      if (choice === undefined) return
      if (!isJsonObject(choice)) throw new Nonsense('A choice is no object.')
      if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
        finish = choice.finish_reason
      takeDelta(choice.delta ?? choice.message ?? {})
      if (finish !== undefined) calls.check()
    },
    hasBegun: () => hasBegun,
    isWhole: () => finish !== undefined,
    end() {
      endPart()
      for (const call of calls.events()) emit(call)
      emit({ type: 'finish', reason: reasonOf(finish), usage })
    },
  }

  function takeDelta(delta: JsonValue): void {
    if (!isJsonObject(delta)) throw new Nonsense('A delta is no object.')
    say('reasoning', toText(delta.reasoning_content) || toText(delta.reasoning))
    takeContent(delta.content)
    // Some send false where nothing was refused.
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      isRefusal = true
      say('text', delta.refusal)
    }
    calls.take(delta.tool_calls)
  }

  function takeContent(content: JsonValue | undefined): void {
    const parts: readonly JsonValue[] = Array.isArray(content) ? content : []
    if (!Array.isArray(content)) say('text', toText(content))
    for (const part of parts) {
      if (!isJsonObject(part)) throw new Nonsense('A part of the content is no object.')
      if (part.type === 'text') say('text', toText(part.text))
      if (part.type === 'thinking') say('reasoning', thoughtOf(part.thinking))
    }
  }

  function say(type: PartKind, text: string): void {
    if (text === '') return
    if (open !== type) endPart()
    open = type
    emit({ type, text })
  }

  function endPart(): void {
    if (open !== undefined) emit({ type: 'part_end', part: open })
    open = undefined
  }

  function reasonOf(said = ''): FinishReason {
    const reason = FINISH_REASONS.get(said) ?? 'other'
    if (reason !== 'stop') return reason
    if (isRefusal) return 'filtered'
    return calls.count() > 0 ? 'tool_calls' : 'stop'
  }
}

/** `{error: …}`, or `{object: "error", message, code}` as vLLM has it. */
function errorOf(chunk: JsonObject): JsonValue | undefined {
  if (chunk.error !== undefined && chunk.error !== null) return chunk.error
  return chunk.object === 'error' ? chunk : undefined
}

/** As Mistral's models write it: a list of texts. */
function thoughtOf(thinking: JsonValue | undefined): string {
  if (!Array.isArray(thinking)) return toText(thinking)
  return thinking.map((part: JsonValue) => (isJsonObject(part) ? toText(part.text) : '')).join('')
}
