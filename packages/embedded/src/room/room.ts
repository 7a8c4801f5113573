import type { Logger } from '@quire/kit/log'
import { Awareness, applyAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { Peer } from '../socket/peer.ts'
import {
  answerFrame,
  askFrame,
  awarenessFrame,
  readFrame,
  type SaveOutcome,
  savedFrame,
  updateFrame,
} from './frames.ts'

/** What a room is about. */
export interface RoomDocument {
  readonly doc: Y.Doc
  /** Of a client. Throws for what is no update. */
  apply(update: Uint8Array, origin: object): void
  save(): Promise<SaveOutcome>
  /** Without saving. */
  close(): void
}

/** Those who have one document open. */
export interface Room {
  join(peer: Peer): void
  size(): number
  /** Sends everybody away; the document is closed, and not saved. */
  close(code: number, reason: string): void
}

export interface RoomOptions {
  readonly document: RoomDocument
  readonly logger: Logger
  readonly onEmpty: () => void
}

const UNREADABLE = 1003
const STRANGER = JSON.stringify({ reason: 'unknown_document', reloadable: true })

export function createRoom({ document, logger, onEmpty }: RoomOptions): Room {
  const { doc } = document
  const awareness = new Awareness(doc)
  awareness.setLocalState(null)
  /** With the ids that each shows itself by. */
  const peers = new Map<Peer, Set<number>>()
  let sendAway: ((peer: Peer) => void) | undefined

  doc.on('update', (update: Uint8Array) => sendAll(updateFrame(update)))
  awareness.on('update', ({ added, updated, removed }: AwarenessChange, origin: unknown) => {
    for (const [peer, ids] of peers) {
      if (peer === origin) for (const id of added) ids.add(id)
      for (const id of removed) ids.delete(id)
    }
    sendAll(awarenessFrame(awareness, [...added, ...updated, ...removed]))
  })

  function sendAll(frame: Uint8Array): void {
    for (const peer of peers.keys()) peer.send(frame)
  }

  function receive(peer: Peer, bytes: Uint8Array): void {
    if (!peers.has(peer)) return
    try {
      const frame = readFrame(bytes)
      if (frame.kind === 'ask') answer(peer, frame.stateVector)
      else if (frame.kind === 'update') document.apply(frame.update, peer)
      else if (frame.kind === 'awareness') applyAwarenessUpdate(awareness, frame.update, peer)
      else if (frame.kind === 'save') void save(peer, frame.id)
    } catch (error) {
      logger.warn({ err: error }, 'a client of a notebook sent a frame that cannot be read')
      peer.close(UNREADABLE, 'That frame cannot be read. Connect again.')
    }
  }

  function answer(peer: Peer, stateVector: Uint8Array): void {
    if (isStranger(doc, stateVector)) {
      leave(peer)
      peer.close(UNREADABLE, STRANGER)
    } else peer.send(answerFrame(doc, stateVector))
  }

  async function save(peer: Peer, id: number): Promise<void> {
    peer.send(savedFrame(id, await document.save()))
  }

  function leave(peer: Peer): void {
    const ids = peers.get(peer)
    if (!ids || !peers.delete(peer)) return
    removeAwarenessStates(awareness, [...ids], peer)
    if (peers.size === 0) onEmpty()
  }

  return Object.freeze({
    join(peer: Peer) {
      if (sendAway) return sendAway(peer)
      peers.set(peer, new Set())
      peer.onClose(() => leave(peer))
      peer.send(askFrame(doc))
      const shown = [...awareness.getStates().keys()]
      if (shown.length > 0) peer.send(awarenessFrame(awareness, shown))
      peer.onMessage((data) => receive(peer, data))
    },
    size: () => peers.size,
    close(code: number, reason: string) {
      sendAway = (peer) => peer.close(code, reason)
      const leaving = [...peers.keys()]
      peers.clear()
      leaving.forEach(sendAway)
      awareness.destroy()
      document.close()
    },
  })
}

/** Of a room whose history was lost: every cell would come out doubled with it. */
function isStranger(doc: Y.Doc, stateVector: Uint8Array): boolean {
  const clients = [...Y.decodeStateVector(stateVector).keys()]
  const known = doc.store.clients
  return known.size > 0 && clients.length > 0 && !clients.some((client) => known.has(client))
}

interface AwarenessChange {
  readonly added: number[]
  readonly updated: number[]
  readonly removed: number[]
}
