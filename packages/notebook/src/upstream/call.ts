import { showUrl } from './address.ts'
import type { Quote } from './quote.ts'

/** One request or handshake, as error texts speak of it. */
export interface Call {
  readonly method: string
  readonly url: URL
  /** The server's address. */
  readonly base: string
  readonly quote: Quote
}

/** Such as `GET http://localhost:8888/api/status`. */
export function nameOf({ method, url }: Call): string {
  return `${method} ${showUrl(url)}`
}

/** Such as ` answered 500 (disk full)`. */
export function statusOf(call: Call, answer: { readonly status: number; readonly text: string }): string {
  const words = call.quote(answer.text)
  return `${nameOf(call)} answered ${answer.status}${words === '' ? '' : ` (${words})`}`
}
