const LONGEST_LINE = 16 * 1024 * 1024

/**
 * The data of each event of a stream, where it is one line, as ours are (https://html.spec.whatwg.org/multipage/server-sent-events.html). A stream that
 * breaks off ends like any other: whoever reads comes again with the last event it knows.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onSign: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(brokenOff)
      if (done) return
      onSign()
      const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > LONGEST_LINE) throw new Error('A line of the stream has no end.')
      for (const line of lines) if (line.startsWith('data:')) yield line.slice('data:'.length)
    }
  } finally {
    reader.cancel().catch(brokenOff)
  }
}

function brokenOff(): { readonly done: true; readonly value?: undefined } {
  return { done: true }
}
