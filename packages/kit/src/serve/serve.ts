import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { createAdaptorServer, getRequestListener, type WebSocketServerLike } from '@hono/node-server'
import type { WebSocketServer } from 'ws'
import { ConfigError } from '../config/config-error.ts'
import { tameRequest } from '../guard/raw-request.ts'
import { type Connections, createConnections } from './connections.ts'
import { createWebSockets } from './web-sockets.ts'

/** What turns requests of Node into those of `fetch`, and answers back. */
export interface Adapter {
  passOn(incoming: IncomingMessage, outgoing: ServerResponse): void
  respond(incoming: IncomingMessage, outgoing: ServerResponse, response: Response): void
}

/** Takes a request before it becomes one of `fetch`; false when it does not. */
export type ShortWay = (incoming: IncomingMessage, outgoing: ServerResponse, adapter: Adapter) => boolean

export interface ServeOptions {
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>
  readonly shortWay?: ShortWay | undefined
  readonly host: string
  readonly port: number
  /** A socket in the file system to listen on, in place of host and port. */
  readonly socket?: string | undefined
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  /** Shown in place of the address that was bound. */
  readonly publicUrl?: string
  /** Milliseconds for the head of a request, and for the whole of it. */
  readonly timeouts?: { readonly headMs: number; readonly wholeMs: number }
}

export interface Listening {
  /** With the port that was really taken, and without a slash at its end. */
  readonly url: string
  readonly port: number
  /**
   * Stops listening, lets requests in flight finish for `graceMs`, then cuts what is left. Idempotent. Streams end when their service ends them:
   * `shutDown` does both at once.
   */
  close(graceMs?: number): Promise<void>
}

const DEFAULT_TIMEOUTS = { headMs: 10_000, wholeMs: 30_000 }
const KEEP_ALIVE_TIMEOUT = 5_000

/** Listens, or throws a `ConfigError` that says why not. */
export async function serve(options: ServeOptions): Promise<Listening> {
  const sockets = createWebSockets()
  const { server, connections } = createServer(options, sockets)
  await listen(server, options)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  let closing: Promise<void> | undefined
  return Object.freeze({
    url:
      options.publicUrl?.replace(/\/+$/, '') ??
      (options.socket !== undefined
        ? `unix:${options.socket}`
        : `${options.tls ? 'https' : 'http'}://${urlHost(options.host)}:${port}`),
    port,
    close(graceMs = 10_000) {
      for (const socket of sockets.clients) socket.close(1001, 'the server is going away')
      closing ??= connections.drain(graceMs)
      return closing
    },
  })
}

function createServer(
  options: ServeOptions,
  sockets: WebSocketServer,
): { server: Server; connections: Connections } {
  const { headMs, wholeMs } = options.timeouts ?? DEFAULT_TIMEOUTS
  const serverOptions = {
    headersTimeout: headMs,
    requestTimeout: wholeMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: Math.min(1_000, headMs),
    // Only WebSocket is spoken: any other `Upgrade` is answered as the plain request it also is.
    shouldUpgradeCallback(request: IncomingMessage) {
      tameRequest(request)
      const isWebSocket = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket'
      if (isWebSocket) connections.watchUpgrade(request.socket)
      return isWebSocket
    },
  }
  const secure = options.tls && {
    createServer: createHttpsServer,
    serverOptions: { ...serverOptions, ...readTls(options.tls), handshakeTimeout: headMs },
  }
  // The adapter's types know a WebSocket server by its shape; `ws` has it, but for overloads that TypeScript cannot compare.
  const websocket = { server: sockets as unknown as WebSocketServerLike }
  const fetch = cancelUnread(options.fetch)
  const server = createAdaptorServer({ fetch, serverOptions, websocket, ...secure }) as Server
  if (options.shortWay) offerShortWay(server, options.shortWay)
  const connections = createConnections(server)
  server.prependListener('request', tameRequest)
  return { server, connections }
}

function offerShortWay(server: Server, takeShortWay: ShortWay): void {
  const [listener] = server.listeners('request')
  if (!listener) throw new Error('the HTTP adapter does not listen for requests')
  const adapter: Adapter = {
    passOn: (incoming, outgoing) => void Reflect.apply(listener, server, [incoming, outgoing]),
    respond: (incoming, outgoing, response) => void getRequestListener(() => response)(incoming, outgoing),
  }
  server.removeAllListeners('request')
  server.on('request', (incoming, outgoing) => {
    if (!takeShortWay(incoming, outgoing, adapter)) adapter.passOn(incoming, outgoing)
  })
}

/** An upgrade that was not taken is answered without a body: one that would have been streamed must not go on unread. */
function cancelUnread(
  fetch: ServeOptions['fetch'],
): (request: Request, env: object) => Response | Promise<Response> {
  return function fetchOrCancel(request, env) {
    const answer = fetch(request, env)
    const isUpgrade = 'outgoing' in env && env.outgoing === undefined
    return isUpgrade ? Promise.resolve(answer).then(withoutBody) : answer
  }
}

async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel()
  return response
}

function listen(server: Server, { host, port, socket }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(socket === undefined ? { port, host } : { path: socket }, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const faults: Record<string, string> = {
    EADDRINUSE: 'is in use by another program (EADDRINUSE): stop that program or choose another --port',
    EACCES: 'may not be opened by this user (EACCES): choose a --port above 1023',
    EADDRNOTAVAIL: 'is no address of this machine (EADDRNOTAVAIL): choose another --host',
    ENOTFOUND: 'is no name that this machine knows (ENOTFOUND): choose another --host',
  }
  const message = faults[error.code ?? '']
  return message ? new ConfigError([{ setting: '--port', origin: `${host}:${port}`, message }]) : error
}

function readTls({ certFile, keyFile }: { certFile: string; keyFile: string }): {
  cert: Buffer
  key: Buffer
} {
  const pair = { cert: readPem('--tls-cert', certFile), key: readPem('--tls-key', keyFile) }
  assertUsable({ cert: pair.cert }, '--tls-cert', certFile, 'holds no certificate in PEM form')
  assertUsable(
    { key: pair.key },
    '--tls-key',
    keyFile,
    'holds no private key in PEM form without a passphrase',
  )
  assertUsable(pair, '--tls-key', keyFile, `is not the key of the certificate in ${certFile}`)
  return pair
}

/** Here, where the file can be named: the server itself would only throw what OpenSSL says. */
function assertUsable(part: SecureContextOptions, setting: string, origin: string, what: string): void {
  try {
    createSecureContext(part)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ setting, origin, message: `${what} (${reason})` }])
  }
}

function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ setting, origin: path, message: `cannot be read: ${message}` }])
  }
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
