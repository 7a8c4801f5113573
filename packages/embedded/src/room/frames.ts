import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { type Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import { messageYjsSyncStep1, writeSyncStep1, writeSyncStep2, writeUpdate } from 'y-protocols/sync'
import type * as Y from 'yjs'

/** Frames of a room's WebSocket: a kind, then what y-protocols or the collaboration server define for it. */
const SYNC = 0
const AWARENESS = 1
const RAW = 2

export type Frame =
  | { readonly kind: 'ask'; readonly stateVector: Uint8Array }
  | { readonly kind: 'update'; readonly update: Uint8Array }
  | { readonly kind: 'awareness'; readonly update: Uint8Array }
  | { readonly kind: 'save'; readonly id: number }
  /** Of a kind that there may be one day. */
  | { readonly kind: 'other' }

/** Throws for what is no frame. */
export function readFrame(bytes: Uint8Array): Frame {
  const decoder = decoding.createDecoder(bytes)
  const kind = decoding.readVarUint(decoder)
  if (kind === SYNC) {
    const step = decoding.readVarUint(decoder)
    const update = decoding.readVarUint8Array(decoder)
    if (step > 2) throw new RangeError(`there is no step ${step} of the sync protocol`)
    return step === messageYjsSyncStep1 ? { kind: 'ask', stateVector: update } : { kind: 'update', update }
  }
  if (kind === AWARENESS) return { kind: 'awareness', update: decoding.readVarUint8Array(decoder) }
  if (kind !== RAW) return { kind: 'other' }
  if (decoding.readVarString(decoder) !== 'save') return { kind: 'other' }
  return { kind: 'save', id: decoding.readVarUint(decoder) }
}

export function askFrame(doc: Y.Doc): Uint8Array {
  return frame(SYNC, (encoder) => writeSyncStep1(encoder, doc))
}

export function answerFrame(doc: Y.Doc, stateVector: Uint8Array): Uint8Array {
  return frame(SYNC, (encoder) => writeSyncStep2(encoder, doc, stateVector))
}

export function updateFrame(update: Uint8Array): Uint8Array {
  return frame(SYNC, (encoder) => writeUpdate(encoder, update))
}

export function awarenessFrame(awareness: Awareness, clients: number[]): Uint8Array {
  return frame(AWARENESS, (encoder) =>
    encoding.writeVarUint8Array(encoder, encodeAwarenessUpdate(awareness, clients)),
  )
}

export function savedFrame(id: number, status: SaveOutcome): Uint8Array {
  const text = JSON.stringify({ type: 'save', responseTo: id, status })
  return frame(RAW, (encoder) => encoding.writeVarString(encoder, text))
}

export type SaveOutcome = 'success' | 'skipped' | 'failed'

function frame(kind: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, kind)
  write(encoder)
  return encoding.toUint8Array(encoder)
}
