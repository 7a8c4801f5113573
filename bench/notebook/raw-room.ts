import { createDecoder, readVarUint } from 'lib0/decoding'
import { createEncoder, length, toUint8Array, writeVarUint } from 'lib0/encoding'
import { WebSocket } from 'ws'
import { messageYjsSyncStep2, readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync'
import { Doc } from 'yjs'

export interface RawRoom {
  readonly doc: Doc
  /** Until the room has what was changed here. */
  confirm(): Promise<void>
  close(): void
}

/** A room of a notebook server, entered with as little as there can be. */
export async function enterRoom(
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
): Promise<RawRoom> {
  const answer = await fetch(`${url}/api/collaboration/session/${path}`, {
    method: 'PUT',
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'json', type: 'notebook' }),
  })
  const { fileId, sessionId } = (await answer.json()) as { fileId: string; sessionId: string }
  const room = `${url.replace('http', 'ws')}/api/collaboration/room/json:notebook:${fileId}`
  return openRawRoom(`${room}?sessionId=${sessionId}&token=${token}`)
}

/** Resolves after the first synchronisation. */
export async function openRawRoom(url: string): Promise<RawRoom> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const doc = new Doc()
  const waiting: (() => void)[] = []
  const send = (write: (encoder: ReturnType<typeof createEncoder>) => void) => {
    const encoder = createEncoder()
    writeVarUint(encoder, 0)
    write(encoder)
    socket.send(toUint8Array(encoder))
  }
  doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (origin !== socket) send((encoder) => writeUpdate(encoder, update))
  })
  socket.on('message', (data: Buffer) => {
    const decoder = createDecoder(data)
    if (readVarUint(decoder) !== 0) return
    const reply = createEncoder()
    writeVarUint(reply, 0)
    const type = readSyncMessage(decoder, reply, doc, socket)
    if (length(reply) > 1) socket.send(toUint8Array(reply))
    if (type === messageYjsSyncStep2) waiting.shift()?.()
  })
  const confirm = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      send((encoder) => writeSyncStep1(encoder, doc))
    })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  await confirm()
  return { doc, confirm, close: () => socket.terminate() }
}
