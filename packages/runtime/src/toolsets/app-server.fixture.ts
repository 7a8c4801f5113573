import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * A server of the session-based era without any library, whose tools have user interfaces and misbehave on demand. As a program on stdio:
 * `node app-server.fixture.ts [mute]`; `mute` never answers. As a module: `startAppHttp()` for the same over HTTP.
 */
type Message = { id?: number | string; method?: string; params?: Record<string, unknown> }
type Send = (message: object) => void

export const VIEW = 'ui://weather/view.html'
export const VIEW_HTML = '<!doctype html><title>Weather</title>'
/** More than a user interface may have. */
const HUGE = 6 * 1024 * 1024

const UI_MIME_TYPE = 'text/html;profile=mcp-app'
const TOOLS = [
  { name: 'weather', description: 'The weather of a city', _meta: { ui: { resourceUri: VIEW } } },
  { name: 'old_view', _meta: { 'ui/resourceUri': VIEW } },
  { name: 'huge_view', _meta: { ui: { resourceUri: 'ui://weather/huge' } } },
  { name: 'refresh', _meta: { ui: { visibility: ['app'] } } },
  { name: 'think', title: 'Think', _meta: { ui: { visibility: ['model'] } } },
  { name: 'nobody', _meta: { ui: { visibility: [] } } },
  { name: 'odd name/with.dots' },
  ...['embedded', 'slow', 'die', 'malformed', 'refuse', 'fail', 'seen'].map((name) => ({ name })),
].map((tool) => ({ inputSchema: { type: 'object', properties: { city: { type: 'string' } } }, ...tool }))

const CONTENTS: Readonly<Record<string, object>> = {
  [VIEW]: {
    mimeType: UI_MIME_TYPE,
    text: VIEW_HTML,
    _meta: { ui: { csp: { connectDomains: ['https://weather.example'] } } },
  },
  'ui://weather/listed': { mimeType: UI_MIME_TYPE, text: VIEW_HTML },
  'ui://weather/blob': {
    mimeType: 'Text/HTML; profile=mcp-app',
    blob: Buffer.from(VIEW_HTML).toString('base64'),
  },
  'ui://weather/huge': { mimeType: UI_MIME_TYPE, text: 'x'.repeat(HUGE) },
  'ui://weather/plain': { mimeType: 'text/plain', text: 'no page' },
  'ui://weather/empty': { mimeType: UI_MIME_TYPE },
  'memo://private': { mimeType: 'text/plain', text: 'a memo' },
}

function createAppServer(send: Send) {
  const slow: unknown[] = []
  const cancelled: unknown[] = []
  let capabilities: unknown

  const calls: Record<string, (message: Message) => object | undefined> = {
    weather: ({ params }) => ({
      content: [{ type: 'text', text: 'Sunny' }],
      structuredContent: { asked: params?.arguments },
      _meta: { 'test/origin': 'weather' },
      extra: { kept: true },
    }),
    embedded: () => ({
      content: [
        { type: 'text', text: 'Here it is' },
        {
          type: 'resource',
          resource: { uri: 'ui://embedded/1', mimeType: 'text/html', text: '<p>embedded</p>' },
        },
        { type: 'resource', resource: { uri: 'memo://private', mimeType: 'text/plain', text: 'a memo' } },
      ],
    }),
    slow({ id }) {
      slow.push(id)
      return undefined
    },
    die() {
      process.stderr.write('dying with password=hunter2-hunter2\n')
      process.exit(3)
    },
    malformed: () => ({ content: [null, { type: 'text' }] }),
    refuse({ id }) {
      send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'city is missing' } })
      return undefined
    },
    fail: () => ({ content: [{ type: 'text', text: 'no luck' }], isError: true }),
    seen: () => ({ content: [], structuredContent: { slow, cancelled, capabilities } }),
  }

  const methods: Record<string, (message: Message) => object | undefined> = {
    initialize({ params }) {
      capabilities = params?.capabilities
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'app-server', version: '1' },
      }
    },
    ping: () => ({}),
    'tools/list': () => ({ tools: TOOLS }),
    'resources/list': () => ({
      resources: [
        { uri: VIEW, name: 'view', _meta: { ui: { prefersBorder: false } } },
        { uri: 'ui://weather/listed', name: 'listed', _meta: { ui: { prefersBorder: true } } },
      ],
    }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ id, params }) => {
      const uri = String(params?.uri)
      const content = CONTENTS[uri]
      if (content) return { contents: [{ uri, ...content }] }
      send({ jsonrpc: '2.0', id, error: { code: -32002, message: 'Resource not found' } })
      return undefined
    },
    'tools/call': (message) => {
      const call = calls[String(message.params?.name)]
      return call ? call(message) : { content: [{ type: 'text', text: `called ${message.params?.name}` }] }
    },
    'notifications/cancelled': ({ params }) => {
      cancelled.push(params?.requestId)
      return undefined
    },
  }

  return function receive(message: Message): void {
    const method = methods[message.method ?? '']
    const result = method?.(message)
    if (result) send({ jsonrpc: '2.0', id: message.id, result })
    else if (!method && message.id !== undefined)
      send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } })
  }
}

export async function startAppHttp() {
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const message: Message = JSON.parse(Buffer.concat(chunks).toString())
    if (message.id === undefined) return response.writeHead(202).end()
    const receive = createAppServer((answer) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    return receive(message)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** As `mcp.json` has it. */
export function appProgram(...args: string[]) {
  return { command: process.execPath, args: [fileURLToPath(import.meta.url), ...args] }
}

if (import.meta.main) {
  const receive = createAppServer((message) => process.stdout.write(`${JSON.stringify(message)}\n`))
  const isMute = process.argv[2] === 'mute'
  for await (const line of createInterface({ input: process.stdin })) if (!isMute) receive(JSON.parse(line))
}
