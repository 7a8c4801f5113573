import { ToolError } from '../tool-error.ts'

/** What a server answered to one request or handshake. */
export interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly setCookies: readonly string[]
  /** Whole for a success, the beginning of it otherwise. */
  readonly text: string
}

type Body = ReadableStream<Uint8Array>

const HEAD_BYTES = 64 * 1024
const HEAD_MS = 2_000
const MOST_VALUES = 10_000_000
const COMMA = 0x2c
const BRACE = 0x7b
const BRACKET = 0x5b

export async function readAnswer(response: Response, maxBytes: number): Promise<Answer> {
  const body: Body | null = response.body
  const text = response.ok ? await readWhole(body, maxBytes) : await readHead(body)
  return toAnswer(response, text)
}

/** For pages that are looked at and not used. */
export async function readPage(response: Response): Promise<Answer> {
  return toAnswer(response, await readHead(response.body))
}

/** As much as there is within the bounds: a server that refuses us may also fall silent. */
export async function readHead(body: Body | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const bounded = body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), {
      signal: AbortSignal.timeout(HEAD_MS),
    })
    for await (const chunk of bounded ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= HEAD_BYTES) break
    }
  } catch {
    // The status has said the most; the rest of the text is not worth another error.
  }
  return decode(chunks).slice(0, HEAD_BYTES)
}

async function readWhole(body: Body | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  let values = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    values += countValues(chunk)
    if (values > MOST_VALUES) {
      throw new ToolError(
        'failing',
        `The notebook server's answer holds more than ${MOST_VALUES} values, which is no notebook that can be worked with. Clear large outputs in the notebook.`,
      )
    }
    if (length > maxBytes) {
      throw new ToolError(
        'failing',
        `The notebook server's answer is longer than the ${maxBytes} bytes that are accepted. Ask for less at a time, or clear large outputs in the notebook.`,
      )
    }
  }
  return decode(chunks)
}

/** About as many as there are, commas in texts included: to parse tens of millions stops everything else for seconds. */
function countValues(chunk: Uint8Array): number {
  let count = 0
  for (const byte of chunk) if (byte === COMMA || byte === BRACE || byte === BRACKET) count += 1
  return count
}

function toAnswer({ status, headers }: Response, text: string): Answer {
  return {
    status,
    location: headers.get('location') ?? undefined,
    setCookies: headers.getSetCookie(),
    text,
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks))
}
