import { isPage, page } from '../answer-limits.ts'
import type { ModelRequest } from '../model.ts'
import { faultOfAnswer, type ProviderFault } from '../provider-fault.ts'
import { byStatus, type FailureContext } from '../to-agent-error.ts'
import { toChatBody } from './chat-request.ts'
import type { HttpAnswer, HttpExchange } from './http-exchange.ts'
import type { HttpPost } from './http-post.ts'

/** To one base URL. */
export interface ChatConnection {
  readonly post: HttpPost
  /** The server takes no request that asks for the tokens in the stream. */
  isUsageRefused: boolean
}

export interface ChatOptions {
  /** Of the model, at the server. */
  readonly name: string
  readonly connection: ChatConnection
  readonly failure: FailureContext
}

/** An answer whose status is good. */
export interface OpenChat {
  readonly exchange: HttpExchange
  readonly contentType: string
}

const REFUSES_USAGE =
  /stream_options|include_usage|\b(extra|unknown|unexpected|unrecognized|unsupported)\b.{0,40}\b(input|field|argument|param|keyword|propert)/i

/** Once, and once more without asking for the tokens where a server of old refuses that. */
export async function openChat(request: ModelRequest, options: ChatOptions): Promise<OpenChat> {
  const { connection, failure } = options
  const asksForUsage = !connection.isUsageRefused
  const first = await post(request, options, asksForUsage)
  if ('exchange' in first) return first
  if (!asksForUsage || !refusesUsage(first)) throw byStatus(first.status ?? 0, first, failure)
  const second = await post(request, options, false)
  if (!('exchange' in second)) throw byStatus(second.status ?? 0, second, failure)
  connection.isUsageRefused = true
  return second
}

async function post(
  request: ModelRequest,
  { name, connection, failure }: ChatOptions,
  asksForUsage: boolean,
): Promise<OpenChat | ProviderFault> {
  const { signal } = request
  signal.throwIfAborted()
  const exchange = connection.post(toChatBody(request, name, asksForUsage), signal)
  const answer = await exchange.answer
  const { status, contentType } = answer
  if (status < 200 || status > 299) return toFault(answer, await readText(exchange))
  if (!isPage(contentType)) return { exchange, contentType }
  exchange.close()
  throw page(failure.title)
}

function toFault({ status, statusText, headers }: HttpAnswer, body: string): ProviderFault {
  const single = Object.entries(headers).filter(
    (entry): entry is [string, string] => !Array.isArray(entry[1]),
  )
  return faultOfAnswer({ status, statusText, headers: Object.fromEntries(single) }, body)
}

/** As long as the exchange lets it be. */
async function readText(exchange: HttpExchange): Promise<string> {
  const pieces: Buffer[] = []
  for (let bytes = await exchange.read(); bytes !== undefined; bytes = await exchange.read())
    pieces.push(bytes)
  return Buffer.concat(pieces).toString('utf8')
}

function refusesUsage({ status, message, body }: ProviderFault): boolean {
  return (status === 400 || status === 422) && REFUSES_USAGE.test(`${message} ${body.slice(0, 10_000)}`)
}
