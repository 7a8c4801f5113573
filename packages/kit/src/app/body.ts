import type { HonoRequest } from 'hono'
import { CallerError } from '../errors.ts'
import type { RawRequest } from '../guard/raw-request.ts'
import { measureJson } from './json-size.ts'

export interface BodyRules {
  readonly maxBytes: number
  /** Media types without parameters, in lower case. */
  readonly accepts: readonly string[]
}

const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json$/
const MAX_DEPTH = 64
/** A validator looks at every one of them; a million empty objects would hold up everybody else for seconds. */
const MAX_VALUES = 50_000
/** A body of 1 MiB comes in some hundreds; one byte at a time, its pieces cost more than the whole. */
const MAX_CHUNKS = 20_000

/**
 * Reads a request's body within its bounds, and leaves the text where the validators find it. Nothing behind this has to fear a body's size or shape.
 */
export async function readBody(request: HonoRequest, raw: RawRequest, rules: BodyRules): Promise<void> {
  const announced = raw.bodyLength(request.raw)
  if (announced === 0) return
  const type = mediaType(raw.header('content-type')[0])
  if (!accepts(rules.accepts, type)) {
    throw new CallerError(
      'content_type',
      `Send the body as ${rules.accepts.join(' or ')}, and say so in Content-Type.`,
    )
  }
  if (announced !== undefined && announced > rules.maxBytes) throw tooLarge(rules)
  const text = await readText(request, announced, rules)
  if (JSON_TYPE.test(type)) assertSize(text)
}

async function readText(
  request: HonoRequest,
  announced: number | undefined,
  rules: BodyRules,
): Promise<string> {
  try {
    if (announced !== undefined) return await request.text()
    const text = await readBounded(request.raw, rules)
    // The validators look into this cache, whose entries are promises whatever their type says.
    Object.assign(request.bodyCache, { text: Promise.resolve(text) })
    return text
  } catch (error) {
    if (error instanceof CallerError) throw error
    throw new CallerError('body_syntax', 'The body ended before all of it was sent.', { cause: error })
  }
}

async function readBounded(request: Request, rules: BodyRules): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  let chunks = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    chunks += 1
    if (bytes > rules.maxBytes || chunks > MAX_CHUNKS) throw tooLarge(rules)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Whether nothing about the size of a JSON text would be refused. */
export function isWithinBounds(text: string): boolean {
  const { depth, values } = measureJson(text, MAX_DEPTH)
  return depth <= MAX_DEPTH && values <= MAX_VALUES
}

function assertSize(text: string): void {
  const { depth, values } = measureJson(text, MAX_DEPTH)
  if (depth > MAX_DEPTH)
    throw new CallerError('body_shape', `The JSON body is nested deeper than ${MAX_DEPTH} levels.`)
  if (values > MAX_VALUES)
    throw new CallerError('body_shape', `The JSON body holds more than ${MAX_VALUES} values.`)
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
