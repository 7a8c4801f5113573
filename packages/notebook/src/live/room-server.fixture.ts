import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { createRoomDoc, type RoomDoc } from './room-doc.fixture.ts'

/** Which server it behaves like. */
export type RoomServerVersion = '4.0.2' | '5.0.0'

export interface RoomServerOptions {
  /** A real notebook server, for everything else. */
  readonly jupyter: { readonly url: string; readonly root: string }
  readonly version?: RoomServerVersion
  readonly saveDelayMs?: number
}

export interface RoomServer {
  readonly url: string
  /** `method path` of each request for collaboration, `WS path` of each handshake; logins too. */
  readonly asked: string[]
  /** Headers of the last handshake that was let in. */
  lastHandshake(): IncomingMessage | undefined
  /** How handshakes and frames are answered in the next rooms. */
  behave(behaviour: Partial<Behaviour>): void
  /** Everybody is thrown out, sessions are void, and documents are read from their files anew. */
  restart(): void
  /** The room of a path that somebody has open. */
  room(path: string): RoomDoc | undefined
  /** To everybody in all rooms. */
  sendToAll(bytes: Uint8Array): void
  /** Everybody is sent away; 1006 is a connection that breaks. */
  hangUp(code: number, reason?: string): void
  /** How many are in rooms. */
  connected(): number
  close(): Promise<void>
}

interface Behaviour {
  /** Frames are read and never answered. */
  mute: boolean
  /** So many handshakes are refused with 403. */
  refusals: number
  /** So many requests for a session are refused with 403. */
  sessionRefusals: number
  /** Sessions are answered that are void already, as of a server that has just restarted. */
  staleSessions: boolean
  /** A token in a header does not count at handshakes. */
  queryTokenOnly: boolean
  /** Rooms open with this document instead of the file's. */
  content: unknown
  /** Requests to save fail. */
  diskFull: boolean
  /** Whoever enters is sent away with this code. */
  closeWith: number | undefined
}

/** Rooms as they were observed on real servers, in front of one that has none. */
export async function startRoomServer(options: RoomServerOptions): Promise<RoomServer> {
  const { jupyter, version = '5.0.0', saveDelayMs = 100 } = options
  const upstream = new URL(jupyter.url)
  const base = upstream.pathname.replace(/\/$/, '')
  const fileIds = new Map<string, string>()
  const rooms = new Map<string, RoomDoc>()
  const asked: string[] = []
  const behaviour: Behaviour = {
    mute: false,
    refusals: 0,
    sessionRefusals: 0,
    staleSessions: false,
    queryTokenOnly: false,
    content: undefined,
    diskFull: false,
    closeWith: undefined,
  }
  const tunnels = new Set<Duplex>()
  const sockets = new Set<WebSocket>()
  const wss = new WebSocketServer({ noServer: true })
  let sessionId = randomUUID()
  let last: IncomingMessage | undefined

  const server = createServer((incoming, response) => {
    if (incoming.url?.startsWith(`${base}/api/collaboration/session/`)) void answerSession(incoming, response)
    else pass(incoming, response)
  })
  server.on('upgrade', (incoming, socket, head) => {
    tunnels.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => tunnels.delete(socket))
    if (incoming.url?.startsWith(`${base}/api/collaboration/room/`)) void answerRoom(incoming, socket, head)
    else tunnel(incoming, socket, head)
  })

  function pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = incoming
    if (method === 'POST' && url === `${base}/login`) asked.push('POST /login')
    const outgoing = request({ host: upstream.hostname, port: upstream.port, path: url, method, headers })
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  }

  function tunnel({ method, url, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const out = connect(Number(upstream.port), upstream.hostname)
    tunnels.add(out)
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
    out.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    out.write(head)
    out.pipe(socket).pipe(out)
    out.on('error', () => socket.destroy())
    out.on('close', () => {
      tunnels.delete(out)
      socket.destroy()
    })
    socket.on('close', () => out.destroy())
  }

  /** The real server knows whose credentials are good. */
  async function isAllowed({ headers, url = '' }: IncomingMessage): Promise<boolean> {
    const token = new URL(url, jupyter.url).searchParams.get('token')
    const { authorization, cookie, host } = headers
    const given = token ? `token ${token}` : authorization
    const probe = request({
      host: upstream.hostname,
      port: upstream.port,
      path: `${base}/api/contents?content=0`,
      headers: { ...(host && { host }), ...(given && { authorization: given }), ...(cookie && { cookie }) },
    })
    probe.end()
    const [answer]: IncomingMessage[] = await once(probe, 'response')
    answer?.resume()
    return answer?.statusCode === 200
  }

  async function answerSession(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '', jupyter.url)
    asked.push(`${incoming.method} ${pathname}`)
    const path = decodeURIComponent(pathname.slice(`${base}/api/collaboration/session/`.length))
    const { authorization, cookie = '', 'x-xsrftoken': xsrf } = incoming.headers
    const hasXsrf = typeof xsrf === 'string' && cookie.includes(`_xsrf=${xsrf}`)
    let body = ''
    for await (const chunk of incoming) body += chunk
    const reply = (status: number, content: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(content))
    }
    behaviour.sessionRefusals -= 1
    const isRefused = behaviour.sessionRefusals >= 0
    if (isRefused || !(await isAllowed(incoming)) || (!authorization && !hasXsrf))
      return reply(403, { message: 'Forbidden' })
    if (incoming.method !== 'PUT') return reply(405, { message: 'Method Not Allowed' })
    const { format, type } = JSON.parse(body)
    if (!format || !type) return reply(500, { message: 'Internal Server Error' })
    const known = fileIds.get(path)
    const fileId = known ?? randomUUID()
    fileIds.set(path, fileId)
    const session = behaviour.staleSessions ? randomUUID() : sessionId
    return reply(known ? 200 : 201, { format, type, fileId, sessionId: session })
  }

  async function answerRoom(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = new URL(incoming.url ?? '', jupyter.url)
    asked.push(`WS ${url.pathname}`)
    const refuse = (status: string) => socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`)
    const isByHeader = !url.searchParams.has('token') && incoming.headers.authorization !== undefined
    const isRefused = behaviour.refusals > 0 || (behaviour.queryTokenOnly && isByHeader)
    behaviour.refusals = Math.max(0, behaviour.refusals - 1)
    if (isRefused || !(await isAllowed(incoming))) return void refuse('403 Forbidden')
    const id = decodeURIComponent(url.pathname).split(':').at(-1)
    const path = [...fileIds].find(([, fileId]) => fileId === id)?.[0]
    if (path === undefined) return void refuse('500 Internal Server Error')
    last = incoming
    wss.handleUpgrade(incoming, socket, head, (ws) => void enter(ws, path, url.searchParams.get('sessionId')))
  }

  async function enter(ws: WebSocket, path: string, session: string | null): Promise<void> {
    sockets.add(ws)
    ws.on('error', () => ws.terminate())
    ws.on('close', () => sockets.delete(ws))
    if (behaviour.closeWith !== undefined) {
      leave(ws, behaviour.closeWith)
      return
    }
    if (session !== sessionId) {
      const reason = JSON.stringify({ reason: 'unknown_session', sessionId: session, reloadable: true })
      ws.close(1003, version === '5.0.0' ? reason : `Document session ${session} expired.`)
      return
    }
    if (!existsSync(join(jupyter.root, path))) {
      for (const room of rooms.values()) room.deafen()
      if (version === '5.0.0') ws.close(4404, `Error initializing: ${path}.`)
      else ws.terminate()
      return
    }
    ws.pause()
    const room = rooms.get(path) ?? (await openDoc(path))
    rooms.set(path, room)
    room.join(ws, { mute: behaviour.mute })
    ws.resume()
  }

  async function openDoc(path: string): Promise<RoomDoc> {
    const file = join(jupyter.root, path)
    const content = behaviour.content ?? JSON.parse(await readFile(file, 'utf8'))
    return createRoomDoc(content, {
      path,
      saveDelayMs,
      answersSaves: version === '5.0.0',
      async write(text) {
        if (behaviour.diskFull) throw new Error('no space left on device')
        await writeFile(file, text)
        return createHash('sha256').update(text).digest('hex')
      },
    })
  }

  function leave(ws: WebSocket, code: number, reason?: string): void {
    if (code === 1006) ws.terminate()
    else ws.close(code, reason)
  }

  function restart(): void {
    sessionId = randomUUID()
    for (const room of rooms.values()) room.end()
    rooms.clear()
    for (const socket of sockets) socket.terminate()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    asked,
    lastHandshake: () => last,
    behave: (next) => void Object.assign(behaviour, next),
    restart,
    room: (path) => rooms.get(path),
    sendToAll: (bytes) => {
      for (const socket of sockets) socket.send(bytes)
    },
    hangUp: (code, reason) => {
      for (const socket of sockets) leave(socket, code, reason)
    },
    connected: () => sockets.size,
    async close() {
      restart()
      for (const socket of tunnels) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
