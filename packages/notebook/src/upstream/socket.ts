import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import { ToolError } from '../tool-error.ts'
import type { HeaderFields } from './access.ts'
import { type Answer, readHead } from './answer.ts'
import { type Call, nameOf } from './call.ts'

/** What came of a handshake: an open socket, or an answer that says why not. */
export interface Handshake extends Answer {
  readonly socket?: WebSocket
}

export interface HandshakeOptions {
  readonly headers: HeaderFields
  readonly protocols: readonly string[]
  readonly maxPayload: number
  readonly signal: AbortSignal
}

/** The socket comes back paused, so that its owner misses nothing. */
export async function shakeHands(call: Call, options: HandshakeOptions): Promise<Handshake> {
  try {
    return await attempt(call, options)
  } catch (error) {
    // Old servers take a socket without choosing one of the protocols we offer.
    const knowsNoProtocols = error instanceof Error && error.message === 'Server sent no subprotocol'
    if (knowsNoProtocols) return shakeHands(call, { ...options, protocols: [] })
    throw explainHandshake(call, error)
  }
}

async function attempt(
  { url }: Call,
  { headers, protocols, maxPayload, signal }: HandshakeOptions,
): Promise<Handshake> {
  const { WebSocket } = await import('ws')
  signal.throwIfAborted()
  const socket = new WebSocket(url, [...protocols], {
    headers,
    maxPayload,
    perMessageDeflate: false,
    followRedirects: false,
  })
  const leave = () => socket.terminate()
  signal.addEventListener('abort', leave, { once: true })
  let upgrade: IncomingMessage | undefined
  try {
    return await new Promise<Handshake>((resolve, reject) => {
      socket.on('upgrade', (response) => {
        upgrade = response
      })
      socket.on('open', () => {
        socket.pause()
        resolve({ ...toAnswer(upgrade, ''), status: 101, socket })
      })
      socket.on('unexpected-response', (request, response) => {
        readHead(Readable.toWeb(response))
          .then((text) => resolve(toAnswer(response, text)), reject)
          .finally(() => request.destroy())
      })
      socket.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    })
  } finally {
    signal.removeEventListener('abort', leave)
    socket.removeAllListeners('unexpected-response')
  }
}

/** Errors of the WebSocket protocol itself have no code of the connection. */
function explainHandshake(call: Call, error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'Error' || 'code' in error) return error
  return new ToolError(
    'failing',
    `${nameOf(call)}: the WebSocket handshake went wrong (${call.quote(error.message)}). Check whether a proxy in front of the server lets WebSockets through.`,
    { cause: error },
  )
}

function toAnswer(response: IncomingMessage | undefined, text: string): Answer {
  const headers = response?.headers ?? {}
  return {
    status: response?.statusCode ?? 0,
    location: headers.location,
    setCookies: headers['set-cookie'] ?? [],
    text,
  }
}
