import { type RequestOptions, send } from './request.ts'
import type { ServiceName } from './served.ts'

export interface EventOptions extends RequestOptions {
  /** The answer has begun; events may be a while. */
  readonly onOpen?: () => void
}

export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** Server-sent events by fetch, because `EventSource` can neither post nor send a token. Ends with the stream; throws where it breaks. */
export async function* readEvents(
  service: ServiceName,
  path: string,
  { onOpen, ...options }: EventOptions = {},
): AsyncGenerator<StreamEvent, Response> {
  const response = await send(service, path, {
    ...options,
    headers: { accept: 'text/event-stream', ...options.headers },
  })
  onOpen?.()
  if (response.body === null) return response
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return response
      rest += value
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = toEvent(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    // Whoever stops reading ends the request; that it was over already is no failure.
    await reader.cancel().catch(() => undefined)
  }
}

function toEvent(block: string): StreamEvent | undefined {
  let id: string | undefined
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'id') id = value
    else if (field === 'event') event = value
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}
