// The least that a room can be: `bare-room-server.ts FILE` holds the update in the file for whoever connects, and hands on what they say.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createDecoder, readVarUint } from 'lib0/decoding'
import { createEncoder, length, toUint8Array, writeVarUint } from 'lib0/encoding'
import { type WebSocket, WebSocketServer } from 'ws'
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync'
import { applyUpdate, Doc } from 'yjs'

const doc = new Doc()
applyUpdate(doc, readFileSync(process.argv[2] ?? ''))
const sockets = new Set<WebSocket>()
doc.on('update', (update: Uint8Array, origin: unknown) => {
  const encoder = createEncoder()
  writeVarUint(encoder, 0)
  writeUpdate(encoder, update)
  const frame = toUint8Array(encoder)
  for (const socket of sockets) if (socket !== origin) socket.send(frame)
})
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('message', (data: Buffer) => {
    const decoder = createDecoder(data)
    if (readVarUint(decoder) !== 0) return
    const reply = createEncoder()
    writeVarUint(reply, 0)
    readSyncMessage(decoder, reply, doc, socket)
    if (length(reply) > 1) socket.send(toUint8Array(reply))
  })
  const hello = createEncoder()
  writeVarUint(hello, 0)
  writeSyncStep1(hello, doc)
  socket.send(toUint8Array(hello))
})
server.on('listening', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`))
