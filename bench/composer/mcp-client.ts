import { openConnection } from './raw-http.ts'

/** An MCP client of the protocol with sessions, made of hand-written requests. */
export interface LoadClient {
  /** The names of all tools. */
  tools(): Promise<readonly string[]>
  /** Calls the tool with a payload that nobody else uses, and looks whether the answer is the one to it. */
  call(tool: string, payload: string): Promise<void>
  close(): Promise<void>
}

export interface Endpoint {
  readonly port: number
  readonly path: string
  /** How it answers: `streamable` on the POST itself, `sse` on a stream of its own, as before 2025. */
  readonly transport: 'streamable' | 'sse'
}

interface Reply {
  readonly id?: number
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[]
    readonly nextCursor?: string
    readonly content?: readonly { readonly text?: string }[]
  }
  readonly error?: { readonly message: string }
}

const ANSWER_MS = 30_000
const VERSION = '2025-06-18'
const HANDSHAKE = {
  protocolVersion: VERSION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
}

export async function openClient(endpoint: Endpoint): Promise<LoadClient> {
  const link = endpoint.transport === 'sse' ? await openSse(endpoint) : await openStreamable(endpoint)
  let count = 0

  async function ask(method: string, params: string): Promise<Reply> {
    count += 1
    const id = count
    const reply = await link.ask(id, `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`)
    if (reply.id !== id) throw new Error(`the answer to request ${id} has the id ${reply.id}`)
    if (reply.error) throw new Error(`${method} failed: ${reply.error.message}`)
    return reply
  }

  await ask('initialize', JSON.stringify(HANDSHAKE))
  await link.tell('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  return {
    async tools() {
      const names: string[] = []
      let params = '{}'
      do {
        const { result } = await ask('tools/list', params)
        names.push(...(result?.tools?.map(({ name }) => name) ?? []))
        params = result?.nextCursor === undefined ? '' : JSON.stringify({ cursor: result.nextCursor })
      } while (params !== '')
      return names
    },
    async call(tool, payload) {
      const { result } = await ask('tools/call', `{"name":"${tool}","arguments":{"payload":"${payload}"}}`)
      const text = result?.content?.[0]?.text
      if (text !== payload) throw new Error(`sent ${payload}, got ${JSON.stringify(result)}`)
    },
    close: link.close,
  }
}

interface ClientLink {
  ask(id: number, message: string): Promise<Reply>
  tell(message: string): Promise<void>
  close(): Promise<void>
}

async function openStreamable({ port, path }: Endpoint): Promise<ClientLink> {
  const connection = await openConnection(port)
  const head = headOf('POST', path, port)
  let session = ''

  async function post(message: string) {
    const answer = await connection.send(`${head}${session}${bodyOf(message)}`)
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.body.slice(0, 200)}`)
    return answer
  }

  return {
    async ask(_id, message) {
      const answer = await post(message)
      if (session === '') {
        const id = /\r\nmcp-session-id: (\S+)\r\n/i.exec(answer.head)?.[1]
        session = `${id === undefined ? '' : `Mcp-Session-Id: ${id}\r\n`}MCP-Protocol-Version: ${VERSION}\r\n`
      }
      return toReply(answer.body)
    },
    async tell(message) {
      await post(message)
    },
    async close() {
      if (session.includes('Mcp-Session-Id'))
        await connection.send(`${headOf('DELETE', path, port)}${session}\r\n`)
      connection.close()
    },
  }
}

async function openSse({ port, path }: Endpoint): Promise<ClientLink> {
  const [events, posts] = await Promise.all([openConnection(port), openConnection(port)])
  const waiting = new Map<number, (reply: Reply) => void>()
  const opened = Promise.withResolvers<string>()
  let rest = ''
  const deadline = setTimeout(() => opened.reject(new Error('no endpoint was told')), ANSWER_MS)
  const { status } = await events.stream(`${headOf('GET', path, port)}\r\n`, (text) => {
    rest += text
    for (let end = rest.search(/\r?\n\r?\n/); end !== -1; end = rest.search(/\r?\n\r?\n/)) {
      takeEvent(rest.slice(0, end))
      rest = rest.slice(end).replace(/^\r?\n\r?\n/, '')
    }
  })
  if (status !== 200) opened.reject(new Error(`the stream was refused with ${status}`))

  function takeEvent(event: string): void {
    const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? ''
    if (/^event: ?endpoint$/m.test(event)) opened.resolve(data)
    if (!data.startsWith('{')) return
    const reply: Reply = JSON.parse(data)
    if (reply.id === undefined) return
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  }

  const head = headOf('POST', await opened.promise.finally(() => clearTimeout(deadline)), port)
  const post = async (message: string) => {
    const { status, body } = await posts.send(`${head}${bodyOf(message)}`)
    if (status >= 300) throw new Error(`${status} ${body.slice(0, 200)}`)
  }
  return {
    async ask(id, message) {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>()
      const deadline = setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS} ms`)), ANSWER_MS)
      waiting.set(id, resolve)
      await post(message)
      return promise.finally(() => clearTimeout(deadline))
    },
    tell: post,
    async close() {
      events.close()
      posts.close()
    },
  }
}

function headOf(method: string, path: string, port: number): string {
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json, text/event-stream\r\n`
}

/** Everything that is sent is ASCII. */
function bodyOf(message: string): string {
  return `Content-Type: application/json\r\nContent-Length: ${message.length}\r\n\r\n${message}`
}

/** JSON, or an event stream whose last event is the answer: what comes before it are notifications. */
function toReply(body: string): Reply {
  if (body.startsWith('{')) return JSON.parse(body)
  const start = body.lastIndexOf('data: {')
  if (start === -1) throw new Error(`no answer in ${JSON.stringify(body.slice(0, 200))}`)
  const end = body.indexOf('\n', start)
  return JSON.parse(body.slice(start + 6, end === -1 ? undefined : end))
}
