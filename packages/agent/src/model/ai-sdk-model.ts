import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { AgentError } from '../agent-error.ts'
import type { Model, ModelEvent, ModelRequest } from './model.ts'
import type { Prices } from './prices.ts'
import type { Provider } from './providers.ts'
import { readSdkFault } from './sdk-fault.ts'
import { brokeOff, type FailureContext, garbled, isBreak, toAgentError } from './to-agent-error.ts'
import { createEventReader } from './to-model-event.ts'
import { toFunctionTool, toPrompt } from './to-prompt.ts'

export interface AiSdkModelOptions {
  readonly id: string
  readonly model: LanguageModelV4
  readonly prices: Prices
  readonly provider: Pick<Provider, 'takesImages' | 'providerOptions' | 'toolOptions'>
  readonly failure: FailureContext
}

/** How long the rest of an answer may take after its last event, so that its connection can serve the next request. */
const LINGER_MS = 1_000
const BROKEN: ReadonlySet<string> = new Set(['error', 'interrupted'])

/** A model of a provider's package, as our port has it. It asks once: who wants retries puts them round it. */
export function createAiSdkModel({ id, prices, ...options }: AiSdkModelOptions): Model {
  return Object.freeze({ id, ...prices, stream: (request: ModelRequest) => stream(request, options) })
}

async function* stream(
  request: ModelRequest,
  { model, provider, failure }: Omit<AiSdkModelOptions, 'id' | 'prices'>,
): AsyncIterable<ModelEvent> {
  const { takesImages, providerOptions, toolOptions } = provider
  request.signal.throwIfAborted()
  const abort = new AbortController()
  const stop = () => abort.abort(request.signal.reason)
  request.signal.addEventListener('abort', stop, { once: true })
  let linger: ReturnType<typeof setTimeout> | undefined
  const read = createEventReader()
  let hasBegun = false
  let isOver = false
  try {
    const tools = request.tools.map((tool) => ({ ...toFunctionTool(tool), ...toolOptions }))
    const { stream } = await model.doStream({
      prompt: toPrompt(request, takesImages),
      ...(tools.length > 0 && { tools }),
      ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
      ...(providerOptions && { providerOptions }),
      abortSignal: abort.signal,
    })
    for await (const part of stream) {
      if (linger !== undefined) continue
      if (part.type === 'error') throw isBreak(part.error) ? ended() : failed(part.error)
      if (part.type === 'finish' && BROKEN.has(part.finishReason.unified)) throw ended()
      hasBegun ||= part.type !== 'stream-start'
      for (const event of read(part)) yield event
      if (part.type === 'finish') linger = setTimeout(() => abort.abort(), LINGER_MS)
    }
    isOver = true
    if (linger === undefined) throw ended()
  } catch (error) {
    if (linger !== undefined) return
    request.signal.throwIfAborted()
    throw failed(error)
  } finally {
    clearTimeout(linger)
    request.signal.removeEventListener('abort', stop)
    if (!isOver) abort.abort()
  }

  function failed(error: unknown): AgentError {
    return toAgentError(error, readSdkFault(error), failure)
  }

  /** Without its last event: cut off, or no stream of events at all. */
  function ended(): AgentError {
    return hasBegun ? brokeOff(failure) : garbled(failure)
  }
}
