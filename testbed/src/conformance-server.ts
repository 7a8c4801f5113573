import { randomBytes, randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createChangingLists } from './conformance/changing-lists.ts'
import { createConformanceServer } from './conformance/create-server.ts'
import { createEventStore } from './conformance/event-store.ts'
import { startFetchServer } from './conformance/fetch-server.ts'
import { createRoundCodec } from './conformance/rounds-tools.ts'

export interface RunningConformanceServer {
  readonly url: string
  close(): Promise<void>
}

const MAX_SESSIONS = 200
const RETRY_MS = 100

/** The fixture of the conformance suite over HTTP, both eras on one URL: the reference beside which a gateway is judged. */
export async function startConformanceServer(): Promise<RunningConformanceServer> {
  const lists = createChangingLists()
  const codec = createRoundCodec(randomBytes(32))
  const modern = createMcpHandler(() => createConformanceServer({ lists, codec, isLasting: false }), {
    legacy: 'reject',
  })
  lists.watch((kind) => (kind === 'tools' ? modern.notify.toolsChanged() : modern.notify.promptsChanged()))
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function fetch(request: Request): Promise<Response> {
    const refusal =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (refusal) return refusal
    return (await isLegacyRequest(request)) ? serveLegacy(request) : modern.fetch(request)
  }

  async function serveLegacy(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return openSession(request)
    const session = sessions.get(id)
    return session ? session.handleRequest(request) : new Response('no such session', { status: 404 })
  }

  async function openSession(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void remember(id, transport),
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
    })
    const server = createConformanceServer({ lists, codec, isLasting: true })
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    const response = await transport.handleRequest(request)
    if (transport.sessionId === undefined) await transport.close()
    return response
  }

  function remember(id: string, transport: WebStandardStreamableHTTPServerTransport): void {
    sessions.set(id, transport)
    const [oldest] = sessions.values()
    if (sessions.size > MAX_SESSIONS) void oldest?.close()
  }

  const listening = await startFetchServer(fetch)
  return Object.freeze({
    url: `http://127.0.0.1:${listening.port}/mcp`,
    async close() {
      await Promise.all([modern.close(), ...[...sessions.values()].map((session) => session.close())])
      await listening.close()
    },
  })
}
