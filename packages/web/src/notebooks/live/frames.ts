/** Frames of a room's WebSocket: a kind, then what y-protocols defines for it. */
const SYNC = 0
const AWARENESS = 1
const STEPS = ['ask', 'answer', 'update'] as const

export type SyncStep = (typeof STEPS)[number]

export interface Frame {
  /** `ask` carries a state vector, the others an update. */
  readonly kind: SyncStep | 'awareness' | 'other'
  readonly bytes: Uint8Array
}

const NOTHING = new Uint8Array()
const LOW_BITS = 0x7f
const MORE = 0x80

export function syncFrame(step: SyncStep, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return join([SYNC, STEPS.indexOf(step), ...toVarUint(bytes.length)], bytes)
}

export function awarenessFrame(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return join([AWARENESS, ...toVarUint(bytes.length)], bytes)
}

/** Throws for what is no frame. */
export function readFrame(frame: Uint8Array): Frame {
  let at = 0
  function readVarUint(): number {
    let value = 0
    for (let factor = 1; ; factor *= MORE) {
      const byte = frame[at]
      if (byte === undefined || !Number.isSafeInteger(value + byte * factor))
        throw new RangeError('a frame ended before its number did')
      at += 1
      value += (byte & LOW_BITS) * factor
      if (byte < MORE) return value
    }
  }
  function readBytes(): Uint8Array {
    const length = readVarUint()
    if (at + length > frame.length) throw new RangeError('a frame is shorter than it says')
    return frame.subarray(at, at + length)
  }

  const kind = readVarUint()
  if (kind === AWARENESS) return { kind: 'awareness', bytes: readBytes() }
  if (kind !== SYNC) return { kind: 'other', bytes: NOTHING }
  const step = STEPS[readVarUint()]
  if (step === undefined) throw new RangeError('there is no such step of the sync protocol')
  return { kind: step, bytes: readBytes() }
}

function toVarUint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > LOW_BITS; rest = Math.floor(rest / MORE)) bytes.push((rest % MORE) | MORE)
  return [...bytes, rest]
}

function join(head: readonly number[], bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(head.length + bytes.length)
  frame.set(head)
  frame.set(bytes, head.length)
  return frame
}
