import { crc32 } from 'node:zlib'

export interface PngHeader {
  readonly width: number
  readonly height: number
  /** Bits of one sample. */
  readonly depth: number
  readonly colour: Colour
  readonly isInterlaced: boolean
}

export type Colour = 'grey' | 'rgb' | 'indexed' | 'grey-alpha' | 'rgba'

export interface PngFile {
  readonly header: PngHeader
  /** Three bytes an entry. */
  readonly palette: Uint8Array
  /** The tRNS chunk: alpha values of the palette, or the one colour that is transparent. */
  readonly transparency: Uint8Array
  readonly compressed: readonly Buffer[]
}

/** How many there are in a pixel. */
export const SAMPLES = Object.freeze({ grey: 1, rgb: 3, indexed: 1, 'grey-alpha': 2, rgba: 4 })

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const NO_BYTES = new Uint8Array(0)

/** https://www.w3.org/TR/png-3/#11IHDR: the number of each colour type and the depths it may have. */
const COLOURS: Readonly<Record<number, readonly [Colour, readonly number[]]>> = {
  0: ['grey', [1, 2, 4, 8, 16]],
  2: ['rgb', [8, 16]],
  3: ['indexed', [1, 2, 4, 8]],
  4: ['grey-alpha', [8, 16]],
  6: ['rgba', [8, 16]],
}

/** Takes a PNG apart without inflating it. Undefined when it is not whole: every length and every checksum is looked at. */
export function parsePng(bytes: Buffer): PngFile | undefined {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined
  let header: PngHeader | undefined
  let palette: Uint8Array = NO_BYTES
  let transparency: Uint8Array = NO_BYTES
  const compressed: Buffer[] = []
  for (let offset = SIGNATURE.length; offset + 12 <= bytes.length; ) {
    const end = offset + 12 + bytes.readUInt32BE(offset)
    if (end > bytes.length) return undefined
    const body = bytes.subarray(offset + 4, end - 4)
    if (crc32(body) !== bytes.readUInt32BE(end - 4)) return undefined
    const type = body.toString('latin1', 0, 4)
    const data = body.subarray(4)
    if ((type === 'IHDR') !== (header === undefined)) return undefined
    if (type === 'IHDR') header = parseHeader(data)
    if (header === undefined) return undefined
    if (type === 'PLTE') palette = data
    if (type === 'tRNS') transparency = data
    if (type === 'IDAT') compressed.push(data)
    if (type === 'IEND')
      return compressed.length > 0 ? { header, palette, transparency, compressed } : undefined
    offset = end
  }
  return undefined
}

function parseHeader(data: Buffer): PngHeader | undefined {
  if (data.length !== 13) return undefined
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth, colourType, compression, filter, interlace] = data.subarray(8)
  const [colour, depths] = COLOURS[colourType ?? -1] ?? []
  if (width === 0 || height === 0 || compression !== 0 || filter !== 0) return undefined
  if (!colour || depth === undefined || !depths?.includes(depth)) return undefined
  if (interlace !== 0 && interlace !== 1) return undefined
  return { width, height, depth, colour, isInterlaced: interlace === 1 }
}
