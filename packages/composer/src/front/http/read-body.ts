import type { Answer } from '@quire/kit/app/answer'
import { exceedsDepth, isRecord } from '@quire/mcp/json'
import { readJsonBody } from '@quire/mcp/serving/request-body'
import type { FrontContext, IncomingMessage } from '../front-options.ts'
import { CODES } from '../protocol/codes.ts'
import { refuse } from './refusal.ts'

const UNPARSABLE = { code: CODES.parse, message: 'The body is not valid JSON.' }
const TOO_DEEP = { code: CODES.invalidRequest, message: 'The body is nested too deeply.' }
/** Less than this cannot be nested too deeply: each level takes two characters. */
const SHALLOW = 256

export type ReadBody = { readonly body: unknown } | { readonly refusal: Answer }

/** The JSON of a POST, or the answer that refuses it. */
export async function readBody(
  request: Request,
  { body: text, admit }: FrontContext,
  maxBytes: number,
): Promise<ReadBody> {
  const read = text === undefined ? await readJsonBody(request, maxBytes) : parseBody(text)
  if (read instanceof Response) return { refusal: toAnswer(read) }
  if ('body' in read) admit?.(messagesIn(read.body))
  return read
}

export function parseBody(text: string): ReadBody {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return { refusal: refuse(400, UNPARSABLE) }
    throw error
  }
  return text.length > SHALLOW && exceedsDepth(body) ? { refusal: refuse(400, TOO_DEEP) } : { body }
}

/** What is no message needs no admission: it is refused. */
export function messagesIn(body: unknown): readonly IncomingMessage[] {
  return (Array.isArray(body) ? body : [body]).filter(isRecord)
}

function toAnswer({ status, headers, body }: Response): Answer {
  return { status, headers: Object.fromEntries(headers), body }
}
