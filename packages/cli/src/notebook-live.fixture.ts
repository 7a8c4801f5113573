import { YNotebook } from '@jupyter/ydoc'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { createMetrics } from '@quire/kit/metrics'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'
import { createNotebook } from '@quire/notebook/create-notebook'
import { createWorkbench } from '@quire/notebook/workbench/create-workbench'
import { Hono } from 'hono'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import { createLazyRoomHost } from './room-host.ts'

export const TOKEN = 'a-token-of-the-tests-0123456789'
export const READER = 'a-reader-of-the-tests-0123456789'

const logger = createLazyLogger({ level: 'silent', pretty: false })

/** The notebook service on a port of its own, with rooms where the notebook server has none. */
export async function startService(document: { readonly url: string; readonly token: string }) {
  const workbench = createWorkbench(
    {
      version: '0.0.0-test',
      targets: { document, sandbox: document },
      executionTimeoutSeconds: 60,
      maxExecutionTimeoutSeconds: 60,
      maxOutputBytes: 65_536,
      images: true,
      readOnly: false,
      allowedPaths: [],
      recordCode: false,
    },
    { logger, roomHost: createLazyRoomHost(logger) },
  )
  const keys = [
    { hash: hashToken(TOKEN), subject: 'ada' },
    { hash: hashToken(READER), subject: 'reader', scopes: ['notebooks:read'] },
  ]
  const revoked = new AbortController()
  const ring = createKeyRing(keys)
  const notebook = createNotebook(
    {
      version: '0',
      guards: {},
      authentication: {
        realm: 'notebook-tools',
        async verify(token) {
          const principal = await ring.verify(token)
          return principal && { ...principal, revoked: revoked.signal }
        },
      },
    },
    { workbench, logger, metrics: createMetrics({ service: 'notebook' }) },
  )
  // As `quire up` does it.
  const app = new Hono().mount('/notebook', notebook.app.fetch)
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${listening.url}/notebook/mcp`), { requestInit }),
  )
  return {
    address: `${listening.url.replace('http', 'ws')}/notebook/live`,
    port: listening.port,
    revoke: () => revoked.abort(),
    async call(name: string, args: Record<string, unknown>) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
      if (isError) throw new Error(text)
      return text
    },
    async stop() {
      await client.close()
      await shutDown(listening, [workbench, notebook], 1_000)
    },
  }
}

const protocolsWith = (token: string) => [
  'quire.v1',
  `quire.bearer.${Buffer.from(token).toString('base64url')}`,
]

/** A page: y-websocket's provider around the document of `@jupyter/ydoc`. */
export async function joinLive(address: string, path: string, notebook = new YNotebook()) {
  const provider = new WebsocketProvider(address, path, notebook.ydoc, {
    disableBc: true,
    protocols: protocolsWith(TOKEN),
    awareness: notebook.awareness,
    // `ws` has what the provider uses of a browser's WebSocket, and its type has more.
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
  })
  await new Promise<void>((resolve, reject) => {
    provider.once('connection-close', (event) => {
      if (!provider.synced) provider.destroy()
      reject(new Error(`closed: ${event?.code} ${event?.reason}`))
    })
    provider.once('sync', () => resolve())
  })
  return {
    notebook,
    provider,
    sources: () => notebook.cells.map((cell) => cell.source),
    close() {
      provider.destroy()
      notebook.dispose()
    },
  }
}

export interface RawOptions {
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  /** Of the request, as it goes over the wire. */
  readonly target?: string
}

/** What came of a handshake: its status, or the code that the open socket was closed with. */
export async function knock(port: number, options: RawOptions, act?: (socket: WebSocket) => void) {
  const { token, headers = {}, target = '/live/none.ipynb' } = options
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, token === undefined ? [] : protocolsWith(token), {
    headers,
    finishRequest(request: import('node:http').ClientRequest) {
      request.path = `/notebook${target}`
      request.end()
    },
  })
  socket.on('error', () => socket.terminate())
  if (act) socket.once('open', () => act(socket))
  const refused = new Promise<number>((resolve) =>
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    }),
  )
  return Promise.race([refused, new Promise<number>((resolve) => socket.once('close', resolve))])
}
