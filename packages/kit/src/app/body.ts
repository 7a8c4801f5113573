import type { HonoRequest } from 'hono'
import { CallerError } from '../errors.ts'
import type { RawRequest } from '../guard/raw-request.ts'

export interface BodyRules {
  readonly maxBytes: number
  readonly maxDepth: number
  /** Media types without parameters, in lower case. */
  readonly accepts: readonly string[]
}

const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json$/

/**
 * Reads a request's body within its bounds, and leaves the text where the validators find it. Nothing behind this has to fear a body's size or depth.
 */
export async function readBody(request: HonoRequest, raw: RawRequest, rules: BodyRules): Promise<void> {
  const [length] = raw.header('content-length')
  const chunked = raw.header('transfer-encoding').length > 0
  if ((length === undefined || length === '0') && !chunked) return
  const type = mediaType(raw.header('content-type')[0])
  if (!accepts(rules.accepts, type)) {
    throw new CallerError(
      'content_type',
      `Send the body as ${rules.accepts.join(' or ')}, and say so in Content-Type.`,
    )
  }
  if (Number(length) > rules.maxBytes) throw tooLarge(rules)
  const text = chunked ? await readBounded(request.raw, rules) : await request.text()
  // The validators look into this cache, whose entries are promises whatever their type says.
  if (chunked) Object.assign(request.bodyCache, { text: Promise.resolve(text) })
  if (JSON_TYPE.test(type)) assertDepth(text, rules.maxDepth)
}

/**
 * Counts brackets outside of strings: cheaper than parsing, and it comes before anything recursive does.
 */
export function jsonDepth(text: string, limit: number): number {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x22) index = endOfString(text, index)
    else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > deepest) deepest = depth
      if (deepest > limit) return deepest
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return deepest
}

function assertDepth(text: string, maxDepth: number): void {
  if (jsonDepth(text, maxDepth) > maxDepth)
    throw new CallerError('body_depth', `The JSON body is nested deeper than ${maxDepth} levels.`)
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(position - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}

async function readBounded(request: Request, rules: BodyRules): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > rules.maxBytes) throw tooLarge(rules)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function tooLarge({ maxBytes }: BodyRules): CallerError {
  return new CallerError('body_size', `The body is larger than ${maxBytes} bytes.`, {
    headers: { connection: 'close' },
  })
}

function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function accepts(accepted: readonly string[], type: string): boolean {
  return accepted.includes(type) || (JSON_TYPE.test(type) && accepted.includes('application/json'))
}
