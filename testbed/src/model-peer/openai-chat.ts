import type { EventAct, PeerFinish, PeerUsage, Wire } from './script.ts'

const FINISH = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  filtered: 'content_filter',
} as const

/** The tokens come in a chunk of their own, in the last one, or not at all. */
export type UsagePlace = 'own' | 'last' | 'none'

/**
 * Chat completions, which Groq, Mistral and every compatible server speak too.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function createOpenAiChat(model: string, usagePlace: UsagePlace): Wire {
  const calls: string[] = []

  function chunk(body: object): string {
    const head = { id: 'chatcmpl-peer', object: 'chat.completion.chunk', created: 1_700_000_000, model }
    return `data: ${JSON.stringify({ ...head, ...body })}\n\n`
  }

  function delta(content: object, finish_reason: string | null = null, rest = {}): string[] {
    return [chunk({ choices: [{ index: 0, delta: content, finish_reason }], ...rest })]
  }

  return {
    contentType: 'text/event-stream',
    begin: () => delta({ role: 'assistant', content: '' }),
    encode(act: EventAct) {
      if ('text' in act) return delta({ content: act.text })
      if ('thought' in act) return delta({ reasoning_content: act.thought })
      if ('refusal' in act) return delta({ refusal: act.refusal })
      if ('call' in act) {
        const index = calls.push(act.call) - 1
        const called = { name: act.name, arguments: '' }
        return delta({ tool_calls: [{ index, id: act.call, type: 'function', function: called }] })
      }
      if ('args' in act)
        return delta({ tool_calls: [{ index: calls.indexOf(act.of), function: { arguments: act.args } }] })
      return [`data: ${JSON.stringify({ error: { message: act.error, type: act.type, code: null } })}\n\n`]
    },
    end(finish: PeerFinish, usage: PeerUsage) {
      const total = { usage: toUsage(usage) }
      const last = delta({}, FINISH[finish], usagePlace === 'last' ? total : {})
      return [
        ...last,
        ...(usagePlace === 'own' ? [chunk({ choices: [], ...total })] : []),
        'data: [DONE]\n\n',
      ]
    },
  }
}

function toUsage({ input, output, cacheRead = 0, reasoning = 0 }: PeerUsage): object {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
