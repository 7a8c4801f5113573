import type { EventAct, PeerFinish, PeerUsage, Wire } from './script.ts'

const STOP = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', filtered: 'refusal' } as const

/**
 * Messages of Anthropic. Its first event already holds the tokens of the prompt.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 * https://platform.claude.com/docs/en/api/errors
 */
export function createAnthropicMessages(model: string, usage: PeerUsage): Wire {
  const blocks: { readonly type: string; readonly call?: string; isOpen: boolean }[] = []

  function event(type: string, body: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`
  }

  function closeSpoken(): string[] {
    return blocks.flatMap((block, index) => {
      if (!block.isOpen || block.type === 'tool_use') return []
      block.isOpen = false
      return [event('content_block_stop', { index })]
    })
  }

  /** Goes on with the last block where it is of this kind. */
  function say(type: 'text' | 'thinking', delta: object): string[] {
    const last = blocks.at(-1)
    if (last?.type === type && last.isOpen)
      return [event('content_block_delta', { index: blocks.length - 1, delta })]
    const closed = closeSpoken()
    const index = blocks.push({ type, isOpen: true }) - 1
    const start = event('content_block_start', { index, content_block: { type, [type]: '' } })
    return [...closed, start, event('content_block_delta', { index, delta })]
  }

  return {
    contentType: 'text/event-stream',
    begin() {
      const head = { id: 'msg_peer', type: 'message', role: 'assistant', model, content: [] }
      const message = { ...head, stop_reason: null, stop_sequence: null, usage: toUsage(usage, 1) }
      return [event('message_start', { message }), event('ping', {})]
    },
    encode(act: EventAct) {
      if ('text' in act) return say('text', { type: 'text_delta', text: act.text })
      if ('refusal' in act) return say('text', { type: 'text_delta', text: act.refusal })
      if ('thought' in act) {
        const thought = say('thinking', { type: 'thinking_delta', thinking: act.thought })
        if (act.signature === undefined) return thought
        return [...thought, ...say('thinking', { type: 'signature_delta', signature: act.signature })]
      }
      if ('call' in act) {
        const closed = closeSpoken()
        const index = blocks.push({ type: 'tool_use', call: act.call, isOpen: true }) - 1
        const content_block = { type: 'tool_use', id: act.call, name: act.name, input: {} }
        return [...closed, event('content_block_start', { index, content_block })]
      }
      if ('args' in act) {
        const index = blocks.findIndex(({ call }) => call === act.of)
        const delta = { type: 'input_json_delta', partial_json: act.args }
        return [event('content_block_delta', { index, delta })]
      }
      return [event('error', { error: { type: act.type, message: act.error } })]
    },
    end(finish: PeerFinish) {
      const calls = blocks.flatMap(({ type }, index) =>
        type === 'tool_use' ? [event('content_block_stop', { index })] : [],
      )
      const delta = { stop_reason: STOP[finish], stop_sequence: null }
      const last = event('message_delta', { delta, usage: { output_tokens: usage.output } })
      return [...closeSpoken(), ...calls, last, event('message_stop', {})]
    },
  }
}

function toUsage({ input, cacheRead = 0, cacheWrite = 0 }: PeerUsage, output_tokens: number): object {
  return {
    input_tokens: input,
    output_tokens,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }
}
