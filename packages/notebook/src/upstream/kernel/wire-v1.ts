import { toContent } from './content-bounds.ts'
import { type Decoded, type KernelMessage, toMessage } from './message.ts'

/** The sub-protocol of binary frames: a table of 64-bit little-endian offsets, the channel, the four JSON parts, the buffers. */
export const V1_PROTOCOL = 'v1.kernel.websocket.jupyter.org'

const WORD = 8
const LONGEST_HEADER = 1024 * 1024
/** Channel, header, parent header, metadata, content. */
const FIXED_PARTS = 5

export function encodeV1(message: KernelMessage): Buffer {
  const { channel, header, parentHeader, metadata, content, buffers } = message
  const json = [header, parentHeader, metadata, content].map((part) => Buffer.from(JSON.stringify(part)))
  const parts = [Buffer.from(channel), ...json, ...buffers]
  const table = Buffer.alloc(WORD * (parts.length + 2))
  table.writeBigUInt64LE(BigInt(parts.length + 1), 0)
  let offset = table.length
  table.writeBigUInt64LE(BigInt(offset), WORD)
  for (const [index, part] of parts.entries()) {
    offset += part.length
    table.writeBigUInt64LE(BigInt(offset), WORD * (index + 2))
  }
  return Buffer.concat([table, ...parts])
}

export function decodeV1(frame: Buffer): Decoded {
  const parts = split(frame)
  if (typeof parts === 'string') return { fault: parts }
  const [channel, header, parentHeader, metadata, content, ...buffers] = parts
  if ([header, parentHeader, metadata].some((part) => (part?.length ?? 0) > LONGEST_HEADER))
    return { fault: 'its headers are too long' }
  try {
    const parsedHeader = parse(header)
    return toMessage({
      channel: channel?.toString('utf8'),
      ...toContent(parsedHeader, content?.length ?? 0, () => parse(content)),
      parentHeader: parse(parentHeader),
      metadata: parse(metadata),
      buffers,
    })
  } catch {
    return { fault: 'a part of it is not JSON' }
  }
}

/** The parts between the offsets, or why there are none. */
function split(frame: Buffer): Buffer[] | string {
  if (frame.length < WORD) return 'it is shorter than its own table'
  const count = Number(frame.readBigUInt64LE(0))
  if (count <= FIXED_PARTS) return `its table has ${count} offsets, too few for a message`
  const tableEnd = WORD * (count + 1)
  if (tableEnd > frame.length) return 'it is shorter than its own table'
  const parts: Buffer[] = []
  let start = Number(frame.readBigUInt64LE(WORD))
  if (start < tableEnd) return 'an offset points into the table'
  for (let at = 2 * WORD; at < tableEnd; at += WORD) {
    const end = Number(frame.readBigUInt64LE(at))
    if (end < start || end > frame.length) return 'its offsets are out of order or out of bounds'
    parts.push(frame.subarray(start, end))
    start = end
  }
  return parts
}

function parse(part: Buffer | undefined): unknown {
  return JSON.parse(part?.toString('utf8') ?? '')
}
