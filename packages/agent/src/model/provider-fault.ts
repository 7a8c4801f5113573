import { isJsonObject, type JsonObject } from '../json.ts'

export interface ProviderFault {
  readonly message: string
  readonly code: string
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Nobody answered. */
  readonly isUnanswered: boolean
  /** The adapter says that this cannot be sent. */
  readonly isRefusal: boolean
}

const NOTHING = { code: '', headers: {}, body: '', isUnanswered: false, isRefusal: false }

export interface FailedAnswer {
  readonly status: number | undefined
  readonly statusText: string
  readonly headers: Readonly<Record<string, string>>
}

/** Of an answer that is an error from its first line. */
export function faultOfAnswer({ status, statusText, headers }: FailedAnswer, body: string): ProviderFault {
  const said = readBody(body)
  return { ...NOTHING, ...said, message: said.message || statusText, status, headers, body }
}

/** Of an error inside a stream (a plain object, with or without a status), and of whatever else is thrown. */
export function readFault(error: unknown): ProviderFault {
  if (error instanceof Error) return { ...NOTHING, message: error.message }
  if (typeof error === 'string') return { ...NOTHING, message: error, status: 500 }
  if (!isJsonObject(error)) return { ...NOTHING, message: '' }
  const said = readObject(error)
  return { ...NOTHING, ...said, status: statusOf(error, said.code), body: '' }
}

function readBody(body: string): { message: string; code: string } {
  try {
    const parsed: unknown = JSON.parse(body)
    if (isJsonObject(parsed)) return readObject(parsed)
  } catch {
    // No JSON: a proxy wrote it, and its words are no sentence for anybody.
  }
  return { message: '', code: '' }
}

/** `{error: {message, type, code}}`, `{error: "…"}`, `{message}` and `{detail}` are all in use. */
function readObject(body: JsonObject): { message: string; code: string } {
  const error = isJsonObject(body.error) ? body.error : body
  const message = [error.message, body.error, body.message, body.detail, body.Message].find(
    (value) => typeof value === 'string',
  )
  const code = [error.type, error.code, error.status].filter((value) => typeof value === 'string').join(' ')
  return { message: typeof message === 'string' ? message : '', code }
}

/** What an error in a stream that began well would have had as a status. */
function statusOf(error: JsonObject, code: string): number {
  const { statusCode } = error
  if (typeof statusCode === 'number') return statusCode
  if (typeof error.code === 'number' && error.code >= 400 && error.code < 600) return error.code
  if (/rate_limit|quota|RESOURCE_EXHAUSTED/i.test(code)) return 429
  if (/authentication|permission/i.test(code)) return 401
  if (/not_found/i.test(code)) return 404
  if (/invalid|bad_request|context_length/i.test(code)) return 400
  return 500
}
