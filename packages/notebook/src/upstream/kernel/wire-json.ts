import { isRecord } from '../../document/json.ts'
import { type Decoded, type KernelMessage, toMessage } from './message.ts'

const WORD = 4
const LARGEST_FRAME = 16 * 1024 * 1024

/** Servers without the binary sub-protocol: a JSON text, or for a message with buffers a 32-bit big-endian table, the JSON, the buffers. */
export function encodeJson(message: KernelMessage): string | Buffer {
  const { channel, header, parentHeader, metadata, content, buffers } = message
  const text = JSON.stringify({
    channel,
    header,
    parent_header: parentHeader,
    metadata,
    content,
    buffers: [],
  })
  if (buffers.length === 0) return text
  const parts = [Buffer.from(text), ...buffers]
  const table = Buffer.alloc(WORD * (parts.length + 1))
  table.writeUInt32BE(parts.length, 0)
  let offset = table.length
  for (const [index, part] of parts.entries()) {
    table.writeUInt32BE(offset, WORD * (index + 1))
    offset += part.length
  }
  return Buffer.concat([table, ...parts])
}

export function decodeJson(frame: Buffer, isBinary: boolean): Decoded {
  if (frame.length > LARGEST_FRAME) return { fault: `it has ${frame.length} bytes` }
  const parts = isBinary ? split(frame) : [frame]
  if (typeof parts === 'string') return { fault: parts }
  const [json, ...buffers] = parts
  try {
    const value: unknown = JSON.parse(json?.toString('utf8') ?? '')
    if (!isRecord(value)) return { fault: 'it is no JSON object' }
    const { channel, header, parent_header: parentHeader, metadata, content } = value
    return toMessage({ channel, header, parentHeader, metadata, content, buffers })
  } catch {
    return { fault: 'it is not JSON' }
  }
}

/** The parts from offset to offset and to the end, or why there are none. */
function split(frame: Buffer): Buffer[] | string {
  if (frame.length < WORD) return 'it is shorter than its own table'
  const count = frame.readUInt32BE(0)
  const tableEnd = WORD * (count + 1)
  if (count === 0 || tableEnd > frame.length) return 'its table does not fit its length'
  const parts: Buffer[] = []
  let end = frame.length
  for (let at = tableEnd - WORD; at > 0; at -= WORD) {
    const start = frame.readUInt32BE(at)
    if (start < tableEnd || start > end) return 'its offsets are out of order or out of bounds'
    parts.push(frame.subarray(start, end))
    end = start
  }
  return parts.reverse()
}
