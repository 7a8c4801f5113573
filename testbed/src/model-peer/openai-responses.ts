import type { EventAct, PeerFinish, PeerUsage, Wire } from './script.ts'

interface Item {
  readonly index: number
  readonly id: string
  readonly type: 'message' | 'reasoning' | 'function_call'
  readonly part?: 'output_text' | 'refusal'
  readonly call?: string
  readonly name?: string
  text: string
  isDone: boolean
}

/**
 * The Responses API.
 * https://developers.openai.com/api/docs/guides/streaming-responses
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function createOpenAiResponses(model: string): Wire {
  const items: Item[] = []
  let sequence = 0
  const response = { id: 'resp_peer', object: 'response', created_at: 1_700_000_000, model, output: [] }

  function event(type: string, body: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...body })}\n\n`
  }

  function open(item: Omit<Item, 'index' | 'id' | 'text' | 'isDone'>): [Item, string[]] {
    const index = items.length
    const opened = { ...item, index, id: `item_${index}`, text: '', isDone: false }
    const closed = close(({ type }) => type !== 'function_call')
    items.push(opened)
    const events = [
      ...closed,
      event('response.output_item.added', { output_index: index, item: toItem(opened) }),
    ]
    if (item.type === 'message')
      events.push(event('response.content_part.added', { ...place(opened), part: toPart(opened) }))
    if (item.type === 'reasoning')
      events.push(event('response.reasoning_summary_part.added', { ...place(opened), summary_index: 0 }))
    return [opened, events]
  }

  function close(isMeant: (item: Item) => boolean): string[] {
    return items
      .filter((item) => !item.isDone && isMeant(item))
      .map((item) => {
        item.isDone = true
        return event('response.output_item.done', { output_index: item.index, item: toItem(item) })
      })
  }

  /** Goes on with the last item where it is of this kind. */
  function say(text: string, kind: Pick<Item, 'type' | 'part'>, type: string): string[] {
    const last = items.at(-1)
    const isSame = last?.type === kind.type && last.part === kind.part
    const [item, events] = isSame ? [last, []] : open(kind)
    item.text += text
    return [...events, event(type, { ...place(item), summary_index: 0, delta: text })]
  }

  return {
    contentType: 'text/event-stream',
    begin: () =>
      ['response.created', 'response.in_progress'].map((type) =>
        event(type, { response: { ...response, status: 'in_progress' } }),
      ),
    encode(act: EventAct) {
      if ('text' in act)
        return say(act.text, { type: 'message', part: 'output_text' }, 'response.output_text.delta')
      if ('thought' in act)
        return say(act.thought, { type: 'reasoning' }, 'response.reasoning_summary_text.delta')
      if ('refusal' in act)
        return say(act.refusal, { type: 'message', part: 'refusal' }, 'response.refusal.delta')
      if ('call' in act) return open({ type: 'function_call', call: act.call, name: act.name })[1]
      if ('args' in act) {
        const item = items.find(({ call }) => call === act.of)
        if (item === undefined) throw new Error(`The script has no call ${act.of}.`)
        item.text += act.args
        return [event('response.function_call_arguments.delta', { ...place(item), delta: act.args })]
      }
      return [event('error', { code: act.type, message: act.error, param: null })]
    },
    end(finish: PeerFinish, usage: PeerUsage) {
      const done = close(() => true)
      const reason = {
        length: 'max_output_tokens',
        filtered: 'content_filter',
        stop: null,
        tool_calls: null,
      }[finish]
      const status = reason === null ? 'completed' : 'incomplete'
      const last = { ...response, status, incomplete_details: reason && { reason }, usage: toUsage(usage) }
      return [...done, event(`response.${status}`, { response: last })]
    },
  }
}

function place({ id, index }: Item): object {
  return { item_id: id, output_index: index, content_index: 0 }
}

function toPart({ part, text }: Item): object {
  return part === 'refusal' ? { type: part, refusal: text } : { type: part, text, annotations: [] }
}

function toItem(item: Item): object {
  const { id, type, text, isDone } = item
  const status = isDone ? 'completed' : 'in_progress'
  if (type === 'function_call')
    return { id, type, status, call_id: item.call, name: item.name, arguments: text }
  if (type === 'message')
    return { id, type, status, role: 'assistant', content: isDone ? [toPart(item)] : [] }
  const summary = isDone ? [{ type: 'summary_text', text }] : []
  return { id, type, summary, encrypted_content: isDone ? `sealed-${id}` : null }
}

function toUsage({ input, output, cacheRead = 0, reasoning = 0 }: PeerUsage): object {
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + output,
  }
}
