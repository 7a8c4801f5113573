import { createDecoder, hasContent, readVarString, readVarUint, readVarUint8Array } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeVarString, writeVarUint, writeVarUint8Array } from 'lib0/encoding'

const SYNC = 0
const AWARENESS = 1
const RAW = 2
const STEP_1 = 0
const STEP_2 = 1
const UPDATE = 2
const SAVE = 'save'

/** One frame of a room. `other`: of a kind that is not known here, from a newer server. */
export type Frame =
  | { readonly type: 'step1'; readonly stateVector: Uint8Array }
  | { readonly type: 'step2' | 'update' | 'awareness'; readonly update: Uint8Array }
  | { readonly type: 'raw'; readonly text: string }
  | { readonly type: 'other' }

/** Throws when the frame breaks off or makes no sense. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const decoder = createDecoder(bytes)
  switch (readVarUint(decoder)) {
    case SYNC:
      return decodeSync(readVarUint(decoder), readVarUint8Array(decoder))
    case AWARENESS:
      return { type: 'awareness', update: readVarUint8Array(decoder) }
    case RAW:
      return { type: 'raw', text: hasContent(decoder) ? readVarString(decoder) : '' }
    default:
      return { type: 'other' }
  }
}

function decodeSync(step: number, content: Uint8Array): Frame {
  switch (step) {
    case STEP_1:
      return { type: 'step1', stateVector: content }
    case STEP_2:
      return { type: 'step2', update: content }
    case UPDATE:
      return { type: 'update', update: content }
    default:
      throw new Error(`a sync frame of the unknown step ${step}`)
  }
}

export const encodeStep1 = (stateVector: Uint8Array) => encode([SYNC, STEP_1], stateVector)
export const encodeStep2 = (update: Uint8Array) => encode([SYNC, STEP_2], update)
export const encodeUpdate = (update: Uint8Array) => encode([SYNC, UPDATE], update)
export const encodeAwareness = (update: Uint8Array) => encode([AWARENESS], update)

/** Asks the server to write the file; a server that knows it answers with the same number. */
export function encodeSave(id: number): Uint8Array {
  const encoder = createEncoder()
  writeVarUint(encoder, RAW)
  writeVarString(encoder, SAVE)
  writeVarUint(encoder, id)
  return toUint8Array(encoder)
}

function encode(numbers: readonly number[], content: Uint8Array): Uint8Array {
  const encoder = createEncoder()
  for (const number of numbers) writeVarUint(encoder, number)
  writeVarUint8Array(encoder, content)
  return toUint8Array(encoder)
}
