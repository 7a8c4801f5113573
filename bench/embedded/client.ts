import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { type BenchServer, startServer } from '../child.ts'

const TOKEN = 'a-token-of-the-benchmarks-0123456789'
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
/** Of the sync protocol: a client that has nothing asks for everything. */
const ASK = Buffer.from([0, 0, 1, 0])

/** The embedded server in a process and a folder of its own. */
export async function withServer<Result>(
  work: (server: BenchServer, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  const server = await startServer(join(import.meta.dirname, 'quire-server.ts'), {
    FOLDER: folder,
    TOKEN,
    // As the launcher has it, from its second start on.
    NODE_COMPILE_CACHE: join(tmpdir(), 'quire-bench-compile-cache'),
  })
  try {
    return await work(server, folder)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function call(port: number, method: string, path: string, body?: object): Promise<unknown> {
  const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? undefined : await answer.json()
}

/** Of a kernel that is started for it: until its answer to `1+1` is there. */
export async function firstResult(port: number): Promise<void> {
  const { id } = (await call(port, 'POST', '/api/kernels', {})) as { id: string }
  const socket = await connect(port, `/api/kernels/${id}/channels`)
  const header = { msg_id: 'first', msg_type: 'execute_request', session: 's', username: '', version: '5.3' }
  const message = { channel: 'shell', header, parent_header: {}, metadata: {}, content: { code: '1+1' } }
  socket.send(JSON.stringify(message))
  await received(socket, (data) => data.includes('"execute_result"'))
  socket.close()
  await call(port, 'DELETE', `/api/kernels/${id}`)
}

/** Resolves when the whole notebook has come. */
export async function enterRoom(port: number, path: string): Promise<WebSocket> {
  const body = { format: 'json', type: 'notebook' }
  const session = await call(port, 'PUT', `/api/collaboration/session/${path}`, body)
  const { fileId, sessionId } = session as { fileId: string; sessionId: string }
  const socket = await connect(port, `/api/collaboration/room/json:notebook:${fileId}?sessionId=${sessionId}`)
  socket.send(ASK)
  await received(socket, (data) => data[0] === 0 && data[1] === 1)
  return socket
}

async function connect(port: number, path: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: HEADERS })
  // Rooms are still open when their server is ended.
  socket.on('error', () => undefined)
  await once(socket, 'open', { signal: AbortSignal.timeout(20_000) })
  return socket
}

async function received(socket: WebSocket, accept: (data: Buffer) => boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.on('message', (data: Buffer) => accept(data) && resolve())
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
  })
}
