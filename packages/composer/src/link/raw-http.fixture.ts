import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RawMessage {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: unknown
  readonly error?: unknown
}

export interface RawRequest {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly message: RawMessage | undefined
}

export interface RawHttpOptions {
  /** Answers what is not the handshake: calls, notifications, answers to questions; false: 202. */
  readonly onPost: (message: RawMessage, response: ServerResponse, request: IncomingMessage) => boolean
  readonly onGet?: (request: IncomingMessage, response: ServerResponse) => void
  /** Absent: it keeps no sessions. */
  readonly sessionId?: string
}

/** A server of the legacy era over HTTP without any library: says exactly what a test wants, and keeps what it was asked. */
export async function startRawHttp({ onPost, onGet, sessionId }: RawHttpOptions) {
  const requests: RawRequest[] = []
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const message: RawMessage | undefined = body === '' ? undefined : JSON.parse(body)
    const { method = '', headers } = request
    requests.push({ method, headers, message })
    if (!message) {
      if (method === 'GET' && onGet) onGet(request, response)
      else response.writeHead(405).end()
    } else if (message.method === 'server/discover') {
      response.writeHead(400).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}')
    } else if (message.method === 'initialize') {
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'raw', version: '1' },
      }
      if (sessionId) response.setHeader('mcp-session-id', sessionId)
      answerJson(response, message, JSON.stringify(result))
    } else if (message.method === 'tools/list') {
      answerJson(response, message, '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}')
    } else if (message.method === 'ping') {
      answerJson(response, message, '{}')
    } else if (message.method === 'notifications/initialized' || !onPost(message, response, request)) {
      response.writeHead(202).end()
    }
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    /** Those with a message of that method. */
    sent: (method: string) => requests.filter(({ message }) => message?.method === method),
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

export type RawHttp = Awaited<ReturnType<typeof startRawHttp>>

export function answerJson(response: ServerResponse, { id }: RawMessage, result: string): true {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
  return true
}

/** Begins a stream of events; write to the response, and end it. */
export function beginStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  return response
}

export function toResult(id: RawMessage['id'], result: string): string {
  return `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n\n`
}
