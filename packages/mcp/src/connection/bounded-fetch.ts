import type { FetchLike } from '@modelcontextprotocol/client'

const NEWLINE = 0x0a

/** A remote must not fill our memory: a JSON answer, and each line of an event stream, may have `maxBytes`. */
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

function limitBytes(maxBytes: number, perLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(chunk, controller) {
      const newline = perLine ? chunk.lastIndexOf(NEWLINE) : -1
      length = newline === -1 ? length + chunk.length : chunk.length - newline - 1
      if (length > maxBytes) throw new Error(`the answer is longer than the ${maxBytes} bytes we accept`)
      controller.enqueue(chunk)
    },
  })
}
