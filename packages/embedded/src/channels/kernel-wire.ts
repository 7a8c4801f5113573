import { isRecord } from '../json.ts'
import type { KernelMessage } from '../kernel/kernel.ts'

/** The sub-protocol of binary frames: a table of 64-bit little-endian offsets, the channel, four JSON parts, the buffers. */
export const V1_PROTOCOL = 'v1.kernel.websocket.jupyter.org'

/** One form of kernel messages on a WebSocket. `decode` throws for what is no message. */
export interface KernelWire {
  encode(message: KernelMessage): Uint8Array | string
  decode(data: Buffer, isBinary: boolean): KernelMessage
}

const CHANNELS: ReadonlySet<unknown> = new Set(['shell', 'control', 'stdin', 'iopub'])
const V1_WORD = 8
const V1_PARTS = 5
const OLD_WORD = 4

export const v1Wire: KernelWire = Object.freeze({
  encode({ channel, header, parent_header, metadata, content, buffers = [] }: KernelMessage) {
    const json = [header, parent_header, metadata, content].map((part) => Buffer.from(JSON.stringify(part)))
    const parts = [Buffer.from(channel), ...json, ...buffers]
    const table = Buffer.alloc(V1_WORD * (parts.length + 2))
    table.writeBigUInt64LE(BigInt(parts.length + 1), 0)
    let offset = table.length
    table.writeBigUInt64LE(BigInt(offset), V1_WORD)
    for (const [index, part] of parts.entries()) {
      offset += part.byteLength
      table.writeBigUInt64LE(BigInt(offset), V1_WORD * (index + 2))
    }
    return Buffer.concat([table, ...parts])
  },
  decode(data: Buffer) {
    const count = Number(data.readBigUInt64LE(0))
    if (count <= V1_PARTS || V1_WORD * (count + 1) > data.length)
      throw new RangeError('its table does not fit')
    const offsets = Array.from({ length: count }, (_, index) =>
      Number(data.readBigUInt64LE(V1_WORD * (index + 1))),
    )
    const parts = offsets.slice(1).map((end, index) => slice(data, offsets[index] ?? 0, end))
    const [channel = data, header, parent, metadata, content, ...buffers] = parts
    return toMessage({
      channel: channel.toString('utf8'),
      header: parse(header),
      parent_header: parse(parent),
      metadata: parse(metadata),
      content: parse(content),
      buffers,
    })
  },
})

/** Without a sub-protocol: a JSON text, or where there are buffers a table of 32-bit big-endian offsets, the JSON, the buffers. */
export const oldWire: KernelWire = Object.freeze({
  encode({ buffers = [], ...message }: KernelMessage) {
    const { msg_id, msg_type } = message.header
    const text = JSON.stringify({ ...message, msg_id, msg_type, buffers: [] })
    if (buffers.length === 0) return text
    const parts = [Buffer.from(text), ...buffers]
    const table = Buffer.alloc(OLD_WORD * (parts.length + 1))
    table.writeUInt32BE(parts.length, 0)
    let offset = table.length
    for (const [index, part] of parts.entries()) {
      table.writeUInt32BE(offset, OLD_WORD * (index + 1))
      offset += part.byteLength
    }
    return Buffer.concat([table, ...parts])
  },
  decode(data: Buffer, isBinary: boolean) {
    if (!isBinary) return toMessage({ ...record(parse(data)), buffers: [] })
    const count = data.readUInt32BE(0)
    if (count === 0 || OLD_WORD * (count + 1) > data.length) throw new RangeError('its table does not fit')
    const starts = Array.from({ length: count }, (_, index) => data.readUInt32BE(OLD_WORD * (index + 1)))
    const parts = starts.map((start, index) => slice(data, start, starts[index + 1] ?? data.length))
    const [json, ...buffers] = parts
    return toMessage({ ...record(parse(json)), buffers })
  },
})

function toMessage(parts: Readonly<Record<string, unknown>>): KernelMessage {
  const { channel, buffers } = parts
  const header = record(parts.header)
  const { msg_id, msg_type } = header
  if (!CHANNELS.has(channel) || typeof msg_id !== 'string' || typeof msg_type !== 'string')
    throw new TypeError('its channel or its header is not what it has to be')
  return {
    // It is one of the four: the set above says so, which its type cannot.
    channel: channel as KernelMessage['channel'],
    header: { ...header, msg_id, msg_type },
    parent_header: record(parts.parent_header ?? {}),
    metadata: record(parts.metadata ?? {}),
    content: record(parts.content ?? {}),
    buffers: Array.isArray(buffers) ? buffers.filter((buffer) => buffer instanceof Uint8Array) : [],
  }
}

function slice(data: Buffer, start: number, end: number): Buffer {
  if (start > end || end > data.length) throw new RangeError('its offsets are out of order or out of bounds')
  return data.subarray(start, end)
}

function parse(part: Buffer | undefined): unknown {
  return JSON.parse(part?.toString('utf8') ?? '')
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new TypeError('a part of it is no JSON object')
  return value
}
