import { z } from 'zod'

/** What of a streamed turn matters here. */
const Frame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), content: z.string() }),
  z.object({ type: z.literal('tool_call') }),
  z.object({ type: z.literal('tool_result') }),
  z.object({ type: z.literal('approval_request') }),
  z.object({
    type: z.literal('usage'),
    prompt_tokens: z.int().nonnegative(),
    completion_tokens: z.int().nonnegative(),
    cost_usd: z.number().nonnegative().optional(),
  }),
  z.object({ type: z.literal('error'), detail: z.string(), status_code: z.int() }),
  z.object({ type: z.literal('done') }),
])
export type Frame = z.infer<typeof Frame>

const LONGEST_LINE = 16 * 1024 * 1024

/** Of a stream of server-sent events, up to `done`. Kinds of frames that nobody here knows are left out. Throws where it makes no sense or a line has no end. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  for await (const line of linesOf(chunks)) {
    if (!line.startsWith('data:')) continue
    const value: unknown = JSON.parse(line.slice('data:'.length))
    const { success, data } = Frame.safeParse(value)
    if (success) yield data
    else if (isKnown(value)) throw new Error('A frame of a known kind has another shape.')
    if (success && data.type === 'done') return
  }
}

function isKnown(value: unknown): boolean {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  return typeof type !== 'string' || Frame.options.some((option) => option.shape.type.value === type)
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    length += first.length
    if (length > LONGEST_LINE) throw new Error('A line of the stream is too long.')
    for (const next of others) {
      yield pieces.join('').replace(/\r$/, '')
      pieces = [next]
      length = next.length
    }
  }
}
