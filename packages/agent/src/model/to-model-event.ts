import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { Usage } from '../usage.ts'
import type { FinishReason, ModelEvent } from './model.ts'

type PartKind = 'text' | 'reasoning'

const FINISH_REASONS: Readonly<Partial<Record<LanguageModelV4FinishReason['unified'], FinishReason>>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'filtered',
  'tool-calls': 'tool_calls',
}

/**
 * Puts the parts of one answer in a row. A provider may leave a part open while it begins the next of its kind (the summaries of one thought): the
 * earlier is ended then with what is known of it. Metadata may come with any fragment, such as the signature of a thought with an empty last one.
 */
export function createEventReader(): (part: LanguageModelV4StreamPart) => readonly ModelEvent[] {
  let open: { readonly kind: PartKind; readonly id: string; metadata: SharedV4ProviderMetadata } | undefined

  function end(): ModelEvent[] {
    if (open === undefined) return []
    const { kind, metadata } = open
    open = undefined
    return [{ type: 'part_end', part: kind, ...withMetadata(metadata) }]
  }

  function go(kind: PartKind, id: string, metadata: SharedV4ProviderMetadata | undefined): ModelEvent[] {
    const ended = open !== undefined && (open.kind !== kind || open.id !== id) ? end() : []
    open ??= { kind, id, metadata: {} }
    open.metadata = merge(open.metadata, metadata)
    return ended
  }

  function read(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case 'text-start':
        return go('text', part.id, part.providerMetadata)
      case 'reasoning-start':
        return go('reasoning', part.id, part.providerMetadata)
      case 'text-delta':
        return [...go('text', part.id, part.providerMetadata), ...fragment('text', part.delta)]
      case 'reasoning-delta':
        return [...go('reasoning', part.id, part.providerMetadata), ...fragment('reasoning', part.delta)]
      case 'text-end':
      case 'reasoning-end':
        if (open === undefined || open.id !== part.id) return []
        open.metadata = merge(open.metadata, part.providerMetadata)
        return end()
      case 'tool-call': {
        const { toolCallId, toolName, input, providerMetadata } = part
        const call = { type: 'tool_call', id: toolCallId, name: toolName, argsText: input } as const
        return part.providerExecuted ? [] : [...end(), { ...call, ...withMetadata(providerMetadata) }]
      }
      case 'finish': {
        const reason = FINISH_REASONS[part.finishReason.unified] ?? 'other'
        return [...end(), { type: 'finish', reason, usage: toUsage(part.usage) }]
      }
      default:
        return []
    }
  }

  return read
}

function fragment(type: PartKind, text: string): ModelEvent[] {
  return text === '' ? [] : [{ type, text }]
}

function merge(
  one: SharedV4ProviderMetadata,
  other: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata {
  if (other === undefined) return one
  const merged = { ...one }
  for (const [provider, values] of Object.entries(other))
    merged[provider] = { ...merged[provider], ...values }
  return merged
}

function withMetadata(metadata: SharedV4ProviderMetadata | undefined) {
  return metadata !== undefined && Object.keys(metadata).length > 0 ? { metadata } : {}
}

/** Numbers that are nought, or unknown, are left out, except the two that everybody has. */
function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    promptTokens: inputTokens.total ?? 0,
    completionTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead && { cacheReadTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning && { reasoningTokens: outputTokens.reasoning }),
  }
}
