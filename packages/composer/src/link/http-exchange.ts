import type { IncomingMessage } from 'node:http'
import type { Era } from '@quire/mcp/connection/era'
import { plainReason } from '@quire/mcp/connection/errors'
import { isRecord } from '@quire/mcp/json'
import type { Reply } from '../rpc.ts'
import { replyOfBytes, replyOfMessage } from './answer.ts'
import { createEventReader } from './event-reader.ts'
import { readBody, readRefusal } from './http-answer.ts'
import type { HttpPeer } from './http-peer.ts'
import { scanAnswer } from './json-scan.ts'
import { LinkError } from './link-error.ts'
import { unansweredFault, unsentFault } from './link-faults.ts'

/** One request from its POST to its answer. */
export interface ExchangeOptions {
  readonly server: string
  readonly peer: HttpPeer
  readonly era: Era
  readonly id: number
  readonly method: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the request belongs to a session that the server may have forgotten. */
  readonly hasSession: boolean
  readonly maxBytes: number
  /** What the server says or asks before it answers. */
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => void
  readonly onGarbage: () => void
  /** The stream ended, and is taken up again later. */
  readonly onPause: () => void
  /** Called once, unless the exchange is cancelled. */
  readonly onDone: (outcome: Reply | LinkError) => void
}

export interface Exchange {
  cancel(): void
}

const DEFAULT_RETRY_MS = 1000
const MAX_RETRY_MS = 30_000
/** Tries in a row in which the server says nothing new. */
const MAX_RESUMES = 5
/** A stream that goes on after its answer is cut; one that ends leaves its connection for others. */
const LINGER_MS = 250
const INTERNAL_ERROR = -32603
const REDIRECTS: ReadonlySet<number> = new Set([307, 308])

export function startExchange(options: ExchangeOptions): Exchange {
  const { server, peer, era, id, method, maxBytes, onGarbage, onDone } = options
  let isDone = false
  let isCancelled = false
  let current: { destroy(): void } | undefined
  let timer: NodeJS.Timeout | undefined
  let lastEventId: string | undefined
  let retryMs = DEFAULT_RETRY_MS
  let resumes = 0

  post(true)
  return { cancel }

  function post(mayMove: boolean): void {
    const request = { method: 'POST', headers: options.headers, body: options.body } as const
    current = peer.send(request, (response) => void take(response, mayMove), fail)
  }

  async function take(response: IncomingMessage, mayMove: boolean): Promise<void> {
    const { statusCode: status = 0, headers } = response
    if (status >= 200 && status < 300) return takeAnswer(response)
    if (mayMove && REDIRECTS.has(status) && headers.location && peer.moveTo(headers.location)) {
      response.resume()
      return post(false)
    }
    if (status === 404 && options.hasSession) {
      response.resume()
      return finish(new LinkError('forgotten', `MCP server "${server}" has forgotten our session.`))
    }
    finish(await readRefusal(server, id, response, peer))
  }

  async function takeAnswer(response: IncomingMessage): Promise<void> {
    const type = response.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
    if (type === 'text/event-stream') return readStream(response)
    try {
      const body = await readBody(response, maxBytes)
      if (!body) return finish(tooLong())
      if (type === 'application/json') takeBytes(body)
      if (!isDone) finish(unusable(`its body (${type ?? 'of no type'}) holds no answer`))
    } catch (error) {
      finish(unansweredFault(server, plainReason(error)))
    }
  }

  function readStream(response: IncomingMessage): void {
    const reader = createEventReader({
      maxBytes,
      onData(data) {
        resumes = 0
        takeBytes(data)
        if (isDone) timer ??= setTimeout(() => response.destroy(), LINGER_MS)
      },
      onId(eventId) {
        resumes = 0
        lastEventId = eventId
      },
      onRetry(ms) {
        retryMs = Math.min(ms, MAX_RETRY_MS)
      },
      onOverflow() {
        finish(tooLong())
        response.destroy()
      },
    })
    let failure: Error | undefined
    response.on('data', reader.push)
    response.on('error', (error) => {
      failure = error
    })
    response.on('close', () => {
      clearTimeout(timer)
      timer = undefined
      if (!isDone && !isCancelled)
        resume(failure ? plainReason(failure) : 'its stream ended before the answer')
    })
  }

  /** Takes the stream up where it broke off, as servers let us that number their events. */
  function resume(reason: string): void {
    if (isDone || isCancelled) return
    if (lastEventId === undefined || era === 'modern' || resumes >= MAX_RESUMES) {
      finish(unansweredFault(server, reason))
      return
    }
    if (resumes === 0) options.onPause()
    resumes += 1
    const { 'mcp-session-id': session, 'mcp-protocol-version': version } = options.headers
    const headers = {
      accept: 'text/event-stream',
      'last-event-id': lastEventId,
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    }
    timer = setTimeout(() => {
      timer = undefined
      current = peer.send({ method: 'GET', headers }, takeResumed, (error) => resume(plainReason(error)))
    }, retryMs)
  }

  function takeResumed(response: IncomingMessage): void {
    if (response.statusCode === 200) {
      readStream(response)
      return
    }
    response.resume()
    resume(`its stream could not be taken up again (HTTP status ${response.statusCode})`)
  }

  function takeBytes(bytes: Buffer): void {
    const span = scanAnswer(bytes)
    if (!span) takeParsed(parse(bytes))
    else if (span.id !== id || isDone) onGarbage()
    else finish(replyOfBytes(server, method, era, bytes.subarray(span.start, span.end)))
  }

  function takeParsed(value: unknown): void {
    const messages = Array.isArray(value) ? value : [value]
    for (const message of messages) {
      if (isDone || !isRecord(message) || message.jsonrpc !== '2.0') onGarbage()
      else if (typeof message.method === 'string') options.onMessage(message)
      else if (message.id === id) finish(replyOfMessage(server, method, era, message))
      else onGarbage()
    }
  }

  function fail(error: Error, isUnsent: boolean): void {
    finish((isUnsent ? unsentFault : unansweredFault)(server, plainReason(error)))
  }

  function finish(outcome: Reply | LinkError): void {
    if (isDone || isCancelled) return
    isDone = true
    onDone(outcome)
  }

  function cancel(): void {
    isCancelled = true
    clearTimeout(timer)
    current?.destroy()
  }

  function tooLong(): Reply {
    return unusable(`it is longer than the ${maxBytes} bytes we accept`)
  }

  function unusable(why: string): Reply {
    return {
      error: {
        code: INTERNAL_ERROR,
        message: `The answer of MCP server "${server}" cannot be used: ${why}.`,
      },
    }
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // Not JSON: for the caller to count.
    return undefined
  }
}
