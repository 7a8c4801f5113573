import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflate } from 'node:zlib'
import { SIGNATURE } from './png.ts'
import { predict } from './png-rows.ts'
import type { Raster } from './raster.ts'

/** The channels that are stored, as offsets into a pixel, and the number of that colour type. */
interface Layout {
  readonly channels: readonly number[]
  readonly colourType: number
}

const ROWS_AT_ONCE = 32
const FILTERS = [0, 1, 2, 4] as const

/** Eight bits a sample, without the channels that say nothing. Other work goes on while it is compressed. */
export async function encodePng(raster: Raster): Promise<Buffer> {
  const layout = chooseLayout(raster)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(raster.width, 0)
  header.writeUInt32BE(raster.height, 4)
  header.set([8, layout.colourType], 8)
  const data = await pipeline(filterRows(raster, layout), createDeflate(), buffer)
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

function chooseLayout({ pixels }: Raster): Layout {
  let [isGrey, isOpaque] = [true, true]
  for (let index = 0; index < pixels.length; index += 4) {
    isGrey &&= pixels[index] === pixels[index + 1] && pixels[index] === pixels[index + 2]
    isOpaque &&= pixels[index + 3] === 255
  }
  const colours = isGrey ? [0] : [0, 1, 2]
  return { channels: isOpaque ? colours : [...colours, 3], colourType: (isGrey ? 0 : 2) + (isOpaque ? 0 : 4) }
}

function* filterRows(raster: Raster, { channels }: Layout) {
  const length = raster.width * channels.length
  let [line, above] = [new Uint8Array(length), new Uint8Array(length)]
  for (let first = 0; first < raster.height; first += ROWS_AT_ONCE) {
    const rows: Uint8Array[] = []
    for (let y = first; y < Math.min(first + ROWS_AT_ONCE, raster.height); y += 1) {
      storeRow(raster, y, channels, line)
      rows.push(filterRow(line, above, channels.length))
      ;[line, above] = [above, line]
    }
    yield Buffer.concat(rows)
  }
}

function storeRow({ pixels, width }: Raster, y: number, channels: readonly number[], line: Uint8Array): void {
  let index = 0
  for (let pixel = y * width * 4; pixel < (y + 1) * width * 4; pixel += 4) {
    for (const channel of channels) {
      line[index] = pixels[pixel + channel] ?? 0
      index += 1
    }
  }
}

/** https://www.w3.org/TR/png-3/#12Filter-selection: the filter that leaves the smallest numbers usually compresses best. */
function filterRow(line: Uint8Array, above: Uint8Array, bytesPerPixel: number): Uint8Array {
  let best = { sum: Number.POSITIVE_INFINITY, row: line }
  for (const filter of FILTERS) {
    const row = new Uint8Array(line.length + 1)
    row[0] = filter
    let sum = 0
    for (let index = 0; index < line.length && sum < best.sum; index += 1) {
      const left = index < bytesPerPixel ? 0 : (line[index - bytesPerPixel] ?? 0)
      const upLeft = index < bytesPerPixel ? 0 : (above[index - bytesPerPixel] ?? 0)
      const value = ((line[index] ?? 0) - predict(filter, left, above[index] ?? 0, upLeft)) & 0xff
      row[index + 1] = value
      sum += value < 128 ? value : 256 - value
    }
    if (sum < best.sum) best = { sum, row }
  }
  return best.row
}
