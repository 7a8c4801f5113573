import { WebSocket } from 'ws'
import * as Y from 'yjs'
import { decodeFrame, encodeStep1, encodeStep2, encodeUpdate } from '../upstream/collaboration/frame.ts'

/** Another person in the room, with nothing of ours but the frames. */
export interface RoomClient {
  readonly doc: Y.Doc
  sources(): string[]
  cell(index: number): Y.Map<unknown>
  close(): void
}

export async function joinRoom(
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
): Promise<RoomClient> {
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ format: 'json', type: 'notebook' })
  const answer = await fetch(`${url}/api/collaboration/session/${path}`, { method: 'PUT', headers, body })
  const { fileId, sessionId } = (await answer.json()) as { fileId: string; sessionId: string }
  const room = `${url.replace('http', 'ws')}/api/collaboration/room/json:notebook:${fileId}`
  const socket = new WebSocket(`${room}?sessionId=${sessionId}`, { headers })
  const doc = new Y.Doc()
  const { promise: synced, resolve, reject } = Promise.withResolvers<void>()
  doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (origin !== 'server' && socket.readyState === socket.OPEN) socket.send(encodeUpdate(update))
  })
  socket.on('open', () => socket.send(encodeStep1(Y.encodeStateVector(doc))))
  socket.on('close', () => reject(new Error('the room was closed')))
  socket.on('error', reject)
  socket.on('message', (data: Buffer) => {
    const frame = decodeFrame(data)
    if (frame.type === 'step1') socket.send(encodeStep2(Y.encodeStateAsUpdate(doc, frame.stateVector)))
    if (frame.type === 'step2' || frame.type === 'update') Y.applyUpdate(doc, frame.update, 'server')
    if (frame.type === 'step2') resolve()
  })
  await synced
  const cells = doc.getArray<Y.Map<unknown>>('cells')
  return {
    doc,
    sources: () => cells.toArray().map((cell) => String(cell.get('source'))),
    cell: (index) => cells.get(index),
    close: () => socket.terminate(),
  }
}
