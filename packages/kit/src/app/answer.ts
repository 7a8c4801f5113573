/** What goes back to a client, before it is known how: by `fetch`, or on the Node server itself. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null
}

export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers })
}
