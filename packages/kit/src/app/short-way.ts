import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRecognition } from '../auth/bearer.ts'
import { anonymous, type Principal } from '../auth/principal.ts'
import { createHostGuard, LOOPBACK_HOSTS } from '../guard/host.ts'
import { type RawRequest, rawIncoming } from '../guard/raw-request.ts'
import type { Adapter, ShortWay } from '../serve/serve.ts'
import { type AdmissionOptions, DEFAULT_MAX_BODY_BYTES } from './admission.ts'
import { type Answer, toResponse } from './answer.ts'
import { isWithinBounds } from './body.ts'
import { createClientAddress } from './client-address.ts'
import { finishOf, type ObservationOptions, requestIdOf } from './observe.ts'

/** A POST of JSON that was admitted. */
export interface PlainPost {
  readonly principal: Principal
  readonly raw: RawRequest
  /** As they came, name and value in turn. */
  readonly rawHeaders: readonly string[]
  readonly text: string
  /** Calls back when the client leaves before it has its answer. */
  onGone(callback: () => void): void
}

export interface ShortRoute {
  /** The request target itself. */
  readonly target: string
  /** As logs and metrics call it. */
  readonly pattern: string
  /** Undefined: the app is to answer, as if nobody had looked at the request; so it is where this throws. */
  readonly answer: (post: PlainPost) => Promise<Answer> | undefined
}

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i
const LENGTH = /^[1-9]\d{0,9}$/
/** Longer ones are not worth a copy. */
const LARGEST_TEXT = 16_384
/** What is for the app to judge. */
const UNUSUAL = ['origin', 'transfer-encoding', 'content-encoding', 'expect', 'upgrade']

/**
 * For the one route of a service that is asked so often that the way through its app costs more than the answer. Takes a request only where
 * the app would let it pass, by the same functions; whatever is refused, unusual or unknown goes through the app, which says so in its own words.
 */
export function createShortWay(options: AdmissionOptions & ObservationOptions, route: ShortRoute): ShortWay {
  const { guards, logger, metrics, authentication, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  if (!guards || options.rateLimiter || options.tracer) return () => false
  const isAllowedHost = createHostGuard([...LOOPBACK_HOSTS, ...(guards.allowedHosts ?? [])])
  const recognise = authentication ? createRecognition(authentication) : () => anonymous
  const clientAddress = createClientAddress(options.trustedProxies ?? [])

  function isPlain(raw: RawRequest): boolean {
    const [length, secondLength] = raw.header('content-length')
    const [type, secondType] = raw.header('content-type')
    return (
      isAllowedHost(raw.header('host')) &&
      secondLength === undefined &&
      length !== undefined &&
      LENGTH.test(length) &&
      Number(length) <= maxBodyBytes &&
      secondType === undefined &&
      type !== undefined &&
      JSON_TYPE.test(type) &&
      UNUSUAL.every((name) => raw.header(name).length === 0)
    )
  }

  /** False when it has no answer: the body was read, and is handed on. */
  function answer(exchange: Exchange, text: string): boolean {
    const { incoming, outgoing, raw, principal, arrivedAt } = exchange
    let leave: (() => void) | undefined
    const answering =
      isWithinBounds(text) &&
      attempt({
        principal,
        raw,
        rawHeaders: incoming.rawHeaders,
        text,
        onGone(callback) {
          leave = callback
        },
      })
    if (!answering) return false
    const requestId = requestIdOf(raw)
    const record = {
      request_id: requestId,
      method: 'POST',
      route: route.pattern,
      status: 0,
      subject: principal.subject,
      address: clientAddress(raw, incoming),
    }
    const finish = finishOf(record, arrivedAt, metrics?.startRequest('POST', arrivedAt), logger)
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) leave?.()
      finish()
    })
    answering
      .then((answer) => {
        record.status = answer.status
        send(exchange, answer, requestId)
      })
      .catch((error: unknown) => {
        logger?.error({ err: error, request_id: requestId }, 'an answer on the short way failed')
        outgoing.destroy()
      })
    return true
  }

  /** What it throws is for the app to meet again, and to answer: here nobody would catch it. */
  function attempt(post: PlainPost): Promise<Answer> | undefined {
    try {
      return route.answer(post)
    } catch (error) {
      logger?.debug({ err: error }, 'the short way was left to the app')
      return undefined
    }
  }

  return function takeShortWay(incoming, outgoing, adapter) {
    if (incoming.method !== 'POST' || incoming.url !== route.target) return false
    const arrivedAt = performance.now()
    const raw = rawIncoming(incoming)
    if (!isPlain(raw)) return false
    const found = recognise(raw)
    if (!found) return false
    const passOn = () => adapter.passOn(incoming, outgoing)
    const begin = (principal: Principal) =>
      readWhole(incoming, (body) => {
        const exchange = { incoming, outgoing, adapter, raw, principal, arrivedAt }
        if (body && answer(exchange, body.toString('utf8'))) return
        // Where the adapter looks for a body that was read before.
        if (body) Object.assign(incoming, { rawBody: body })
        passOn()
      })
    if (found instanceof Promise) found.then((principal) => (principal ? begin(principal) : passOn()), passOn)
    else begin(found)
    return true
  }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly adapter: Adapter
  readonly raw: RawRequest
  readonly principal: Principal
  readonly arrivedAt: number
}

/** Without a body where the client left before all of it was there. Its length is bounded by its announcement, its time by the server. */
function readWhole(incoming: IncomingMessage, take: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.once('end', () => done(chunks[1] ? Buffer.concat(chunks) : chunks[0]))
  incoming.once('close', () => done(undefined))
  incoming.once('error', () => done(undefined))
  let isDone = false

  function done(body: Buffer | undefined): void {
    if (isDone) return
    isDone = true
    take(body)
  }
}

function send({ incoming, outgoing, adapter }: Exchange, answer: Answer, requestId: string): void {
  const { status, headers, body } = answer
  const common = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', vary: 'Origin' }
  if (body instanceof ReadableStream) {
    for (const [name, value] of Object.entries(common)) outgoing.setHeader(name, value)
    adapter.respond(incoming, outgoing, toResponse(answer))
  } else if (body) {
    outgoing.writeHead(status, { ...headers, ...common, 'content-length': body.byteLength })
    // As text the head and the body go out in one piece; in this encoding every byte stays what it is.
    if (body.byteLength <= LARGEST_TEXT)
      outgoing.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1')
    else outgoing.end(body)
  } else {
    outgoing.writeHead(status, { ...headers, ...common }).end()
  }
}
