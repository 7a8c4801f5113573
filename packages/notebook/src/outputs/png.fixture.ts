import { deflateSync } from 'node:zlib'
import { pngChunk } from './png-writer.ts'

const SIGNATURE = '\u0089PNG\r\n\u001a\n'

export interface RawPng {
  width: number
  height: number
  depth?: number
  colourType?: number
  interlace?: number
  /** The rows as they are stored, each with its filter in front. */
  rows: Buffer
  /** Chunks in front of the data. */
  chunks?: readonly (readonly [string, readonly number[]])[]
}

/** A PNG from what is in it, so that it can hold what no encoder would write. */
export function writePng({ rows, chunks = [], ...options }: RawPng): Buffer {
  return assemblePng(options, chunks, deflateSync(rows))
}

export function assemblePng(
  { width, height, depth = 8, colourType = 6, interlace = 0 }: Omit<RawPng, 'rows' | 'chunks'>,
  chunks: readonly (readonly [string, readonly number[]])[],
  compressed: Buffer,
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colourType, 0, 0, interlace], 8)
  return Buffer.concat([
    Buffer.from(SIGNATURE, 'latin1'),
    pngChunk('IHDR', header),
    ...chunks.map(([type, data]) => pngChunk(type, Buffer.from(data))),
    pngChunk('IDAT', compressed),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}
