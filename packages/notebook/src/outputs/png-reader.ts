import { createInflate } from 'node:zlib'
import { type PngFile, type PngHeader, SAMPLES } from './png.ts'
import { createConverter, unfilter } from './png-rows.ts'
import { type Columns, createAreaAverage, type Raster, type Size } from './raster.ts'

/** A part of the image that is stored on its own: all of it, or one of the seven passes of an interlaced one. */
interface Pass extends Size {
  readonly columns: Columns
  readonly rows: Columns
}

/** https://www.w3.org/TR/png-3/#8Interlace: first column, column step, first row, row step. */
const ADAM7 = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const

/**
 * Reads and scales an image row by row: neither the inflated data nor the whole image is ever in memory, reading stops after the last row
 * whatever else is compressed behind it, and other work goes on in between. Undefined when the data are damaged.
 */
export async function readScaled(file: PngFile, to: Size): Promise<Raster | undefined> {
  const average = createAreaAverage(file.header, to)
  const convert = createConverter(file)
  const bitsPerPixel = file.header.depth * SAMPLES[file.header.colour]
  const rows = walkRows(file.header, bitsPerPixel)
  let row = rows.next().value
  let filled = 0
  try {
    for await (const chunk of inflate(file)) {
      for (let offset = 0; row && offset < chunk.length; ) {
        const copied = chunk.copy(row.line, filled, offset)
        offset += copied
        filled += copied
        if (filled < row.line.length) break
        if (!unfilter(row.line, row.above, Math.ceil(bitsPerPixel / 8))) return undefined
        average.addRow(convert(row.line, row.pass.width), row.y, row.pass.columns)
        row = rows.next().value
        filled = 0
      }
      if (!row) break
    }
  } catch (error) {
    if (isInflateError(error)) return undefined
    throw error
  }
  return row ? undefined : average.finish()
}

function inflate({ compressed }: PngFile): AsyncIterable<Buffer> {
  const stream = createInflate()
  stream.end(Buffer.concat(compressed))
  return stream
}

function isInflateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** The rows in the order in which they are stored, each with the one above it in its pass. The two buffers of a pass are used in turn. */
function* walkRows(header: PngHeader, bitsPerPixel: number) {
  for (const pass of passesOf(header)) {
    // The first byte of a row names its filter.
    const length = 1 + Math.ceil((pass.width * bitsPerPixel) / 8)
    let [line, above] = [Buffer.alloc(length), Buffer.alloc(length)]
    for (let index = 0; index < pass.height; index += 1) {
      yield { pass, line, above, y: pass.rows.start + index * pass.rows.step }
      ;[line, above] = [above, line]
    }
  }
}

function passesOf({ width, height, isInterlaced }: PngHeader): Pass[] {
  const grids = isInterlaced ? ADAM7 : [[0, 1, 0, 1] as const]
  return grids
    .map(([column, columnStep, row, rowStep]) => ({
      width: Math.ceil((width - column) / columnStep),
      height: Math.ceil((height - row) / rowStep),
      columns: { start: column, step: columnStep },
      rows: { start: row, step: rowStep },
    }))
    .filter((pass) => pass.width > 0 && pass.height > 0)
}
