import type { FetchLike } from '@modelcontextprotocol/client'

const NEWLINE = 0x0a
const RETURN = 0x0d

/** A remote must not fill our memory: a JSON answer, and each event of a stream, may have `maxBytes`. */
export function boundFetch(fetch: FetchLike, maxBytes: number): FetchLike {
  return async function boundedFetch(url, init) {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    return new Response(response.body.pipeThrough(limitBytes(maxBytes, isStream)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

function limitBytes(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  /** Of the line under way; a carriage return before its end does not count. */
  let line = 0

  function count(chunk: Uint8Array): void {
    let start = 0
    for (let end = nextLine(0); end !== -1; end = nextLine(start)) {
      add(end + 1 - start)
      const before = end > start ? chunk[end - 1] : undefined
      line += end - start - (before === RETURN ? 1 : 0)
      // The lines of an event add up in its reader: an empty one is its end.
      if (line === 0) length = 0
      line = 0
      start = end + 1
    }
    add(chunk.length - start)
    const rest = chunk.length - start
    line += rest - (rest > 0 && chunk[chunk.length - 1] === RETURN ? 1 : 0)

    function nextLine(from: number): number {
      return isStream ? chunk.indexOf(NEWLINE, from) : -1
    }
  }

  function add(bytes: number): void {
    length += bytes
    if (length > maxBytes) throw new Error(`the answer is longer than the ${maxBytes} bytes we accept`)
  }

  return new TransformStream({
    transform(chunk, controller) {
      count(chunk)
      controller.enqueue(chunk)
    },
  })
}
