import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { Act, Answer, EventAct, Turn } from './script.ts'
import { endOf, isEvent, wireFor } from './wires.ts'

export interface PeerRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** Of the client: requests over one connection have the same. */
  readonly port: number | undefined
  /** True when the client went away before the answer's end. */
  readonly isHungUp: Promise<boolean>
}

export interface ModelPeer {
  /** Any path may follow it; the wire is known by the end of the path. */
  readonly url: string
  readonly requests: readonly PeerRequest[]
  close(): Promise<void>
}

/**
 * Plays a provider of models over real HTTP. Each request gets the next turn of the script; a script that is one turn repeats it for ever.
 * Past the script's end it answers 418, which nobody tries again.
 */
export async function startModelPeer(script: Turn | readonly Turn[]): Promise<ModelPeer> {
  const turns = 'length' in script ? script.values() : repeat(script)
  const requests: PeerRequest[] = []
  const prepared = new Map<string, readonly Uint8Array[]>()

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/'
    const bytes = await buffer(incoming)
    const turn = turns.next().value
    if (turn === undefined) return fail(response, 418, { error: { message: 'The script is over.' } })
    if ('acts' in turn && turn.isPrepared) return writePrepared(response, path, bytes, turn, prepared)
    const body = parse(bytes)
    const isHungUp = once(response, 'close').then(() => !response.writableFinished)
    const { method = '', headers, socket } = incoming
    requests.push({ method, path, headers, body, port: socket.remotePort, isHungUp })
    if ('status' in turn) return fail(response, turn.status, turn.body, turn.headers)
    await perform(response, path, body, turn)
  }

  const server = createServer((incoming, response) => {
    // A client that hung up ends the script's turn: it is recorded, and no fault of the peer.
    answer(incoming, response).catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The peer has no port.')
  return Object.freeze({
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  })
}

async function perform(response: ServerResponse, path: string, body: unknown, answer: Answer): Promise<void> {
  const wire = wireFor(path, body, answer.usage)
  if (wire === undefined) return fail(response, 404, { error: { message: `Nothing is served at ${path}.` } })
  const gone = once(response, 'close')
  response.writeHead(200, { 'content-type': wire.contentType })
  response.flushHeaders()
  const write = createWriter(response, answer)
  await write(wire.begin())
  for (const act of answer.acts) {
    if (response.destroyed) return
    if (isEvent(act)) await write(wire.encode(act))
    else await disturb(response, act, gone, write)
  }
  if (response.destroyed) return
  await write(endOf(wire, answer))
  response.end()
}

type Write = (pieces: readonly (string | Uint8Array)[]) => Promise<void>

async function disturb(
  response: ServerResponse,
  act: Exclude<Act, EventAct>,
  gone: Promise<unknown>,
  write: Write,
): Promise<void> {
  if ('raw' in act) return write([act.raw])
  if ('gate' in act) return void (await Promise.race([act.gate.opened, gone]))
  if ('cut' in act) return void response.destroy()
  while (!response.destroyed) await write([`: ${'still here '.repeat(100)}\n\n`])
}

/** Waits until each piece is with the operating system, so that pieces are packets. */
function createWriter(response: ServerResponse, { bytesPerWrite, cutAfterBytes = Infinity }: Answer): Write {
  let left = cutAfterBytes
  return async (pieces) => {
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
    const size = bytesPerWrite ?? Math.max(1, bytes.length)
    for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
      const piece = bytes.subarray(at, Math.min(at + size, at + left))
      left -= piece.length
      await new Promise<void>((resolve) => response.write(piece, () => resolve()))
      await setImmediate()
      if (left <= 0) response.destroy()
    }
  }
}

function writePrepared(
  response: ServerResponse,
  path: string,
  bytes: Buffer,
  answer: Answer,
  prepared: Map<string, readonly Uint8Array[]>,
): void {
  let pieces = prepared.get(path)
  if (pieces === undefined) {
    const wire = wireFor(path, parse(bytes), answer.usage)
    if (wire === undefined) throw new Error(`Nothing is served at ${path}.`)
    const acts = answer.acts.filter(isEvent).map((act) => wire.encode(act))
    const parts = [wire.begin(), ...acts, endOf(wire, answer)]
    pieces = parts.map((part) => Buffer.concat(part.map((piece) => Buffer.from(piece))))
    prepared.set(path, pieces)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) response.write(piece)
  response.end()
}

function fail(
  response: ServerResponse,
  status: number,
  body: string | object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}

function parse(bytes: Buffer): unknown {
  return bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'))
}

function* repeat(turn: Turn): Generator<Turn> {
  while (true) yield turn
}
