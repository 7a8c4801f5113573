import { createDecoder, readVarString, readVarUint } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeVarString, writeVarUint } from 'lib0/encoding'
import type { WebSocket } from 'ws'
import * as Y from 'yjs'
import { decodeFrame, encodeStep1, encodeStep2, encodeUpdate } from '../upstream/collaboration/frame.ts'

/** The server's side of one room. */
export interface RoomDoc {
  readonly doc: Y.Doc
  readonly awareness: Uint8Array[]
  join(socket: WebSocket, options: { readonly mute: boolean }): void
  /** Updates are taken in and told to nobody, as after a room of a missing file was opened. */
  deafen(): void
  end(): void
}

interface RoomDocOptions {
  readonly path: string
  readonly saveDelayMs: number
  readonly answersSaves: boolean
  /** Answers the hash. */
  readonly write: (text: string) => Promise<string>
}

type PlainCell = Record<string, unknown> & { source: string | string[]; outputs?: Record<string, unknown>[] }

export function createRoomDoc(content: unknown, options: RoomDocOptions): RoomDoc {
  const doc = new Y.Doc()
  const sockets = new Set<WebSocket>()
  const awareness: Uint8Array[] = []
  let isDeaf = false
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  fill(doc, content, options.path)

  doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (!isDeaf) for (const socket of sockets) socket.send(encodeUpdate(update))
    if (origin === 'saved') return
    clearTimeout(timer)
    timer = setTimeout(() => void save(), options.saveDelayMs)
  })

  async function save(): Promise<'success' | 'failed'> {
    clearTimeout(timer)
    if (isEnded) return 'failed'
    try {
      const hash = await options.write(toFile(doc))
      doc.transact(() => {
        doc.getMap('state').set('dirty', false)
        doc.getMap('state').set('hash', hash)
      }, 'saved')
      return 'success'
    } catch {
      return 'failed'
    }
  }

  function receive(socket: WebSocket, bytes: Uint8Array): void {
    const frame = decodeFrame(bytes)
    if (frame.type === 'step1') socket.send(encodeStep2(Y.encodeStateAsUpdate(doc, frame.stateVector)))
    if (frame.type === 'step2' || frame.type === 'update') Y.applyUpdate(doc, frame.update)
    if (frame.type === 'awareness') {
      awareness.push(frame.update)
      for (const other of sockets) other.send(bytes)
    }
    if (frame.type === 'raw' && options.answersSaves) void answerSave(socket, bytes)
  }

  async function answerSave(socket: WebSocket, bytes: Uint8Array): Promise<void> {
    const decoder = createDecoder(bytes)
    readVarUint(decoder)
    readVarString(decoder)
    const responseTo = readVarUint(decoder)
    const encoder = createEncoder()
    writeVarUint(encoder, 2)
    writeVarString(encoder, JSON.stringify({ type: 'save', responseTo, status: await save() }))
    socket.send(toUint8Array(encoder))
  }

  return {
    doc,
    awareness,
    join(socket, { mute }) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      if (mute) return
      socket.on('message', (data: Buffer) => receive(socket, data))
      socket.send(encodeStep1(Y.encodeStateVector(doc)))
    },
    deafen() {
      isDeaf = true
    },
    end() {
      isEnded = true
      clearTimeout(timer)
      sockets.clear()
    },
  }
}

function fill(doc: Y.Doc, content: unknown, path: string): void {
  const { cells, metadata, ...meta } = content as {
    cells?: PlainCell[]
    metadata?: Record<string, unknown>
  } & Record<string, unknown>
  doc.transact(() => {
    for (const [key, value] of Object.entries(meta)) doc.getMap('meta').set(key, value)
    if (metadata) doc.getMap('meta').set('metadata', new Y.Map(Object.entries(metadata)))
    doc.getMap('state').set('path', path)
    if (cells) doc.getArray('cells').push(cells.map(toShared))
  })
}

function toShared({ source, metadata, outputs, ...rest }: PlainCell, index: number): Y.Map<unknown> {
  const cell = new Y.Map<unknown>(Object.entries({ id: `made-${index}`, ...rest }))
  cell.set('source', new Y.Text([source].flat().join('')))
  cell.set('metadata', new Y.Map(Object.entries({ ...(metadata as object), trusted: true })))
  if (rest.cell_type !== 'code') return cell
  cell.set('execution_state', 'idle')
  const shared = (outputs ?? []).map((output) => {
    const map = new Y.Map<unknown>(Object.entries(output))
    if (output.output_type === 'stream') map.set('text', new Y.Text([output.text].flat().join('')))
    return map
  })
  cell.set('outputs', Y.Array.from(shared))
  return cell
}

function toFile(doc: Y.Doc): string {
  const { nbformat_minor, ...meta } = doc.getMap('meta').toJSON()
  const cells = doc
    .getArray('cells')
    .toJSON()
    .map((cell) => {
      const { execution_state, id, metadata, ...rest } = cell
      const { trusted, ...lasting } = metadata
      return { ...(nbformat_minor >= 5 && { id }), ...rest, metadata: lasting }
    })
  return JSON.stringify({ ...meta, nbformat_minor, cells })
}
