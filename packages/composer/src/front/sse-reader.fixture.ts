export interface SseEvent {
  readonly event?: string
  readonly id?: string
  readonly retry?: string
  readonly data?: string
}

/** Reads the events of a response one by one; comments are counted. */
export function readEvents(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let comments = 0

  async function next(): Promise<SseEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        if (block.startsWith(':')) {
          comments += 1
          continue
        }
        return toEvent(block)
      }
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return undefined
      text += value
    }
  }

  return {
    next,
    comments: () => comments,
    /** The next event's message. */
    async message(): Promise<Record<string, unknown> & { id?: unknown; method?: string }> {
      const event = await next()
      if (!event) throw new Error('the stream has ended')
      return JSON.parse(event.data ?? '')
    },
    async rest(): Promise<SseEvent[]> {
      const events: SseEvent[] = []
      for (let event = await next(); event; event = await next()) events.push(event)
      return events
    },
    cancel: () => reader?.cancel(),
  }
}

function toEvent(block: string): SseEvent {
  const fields = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? []
    return [name, value]
  })
  return Object.fromEntries(fields)
}
