export interface Size {
  readonly width: number
  readonly height: number
}

/** Pixels in memory: red, green, blue and alpha, a byte each. */
export interface Raster extends Size {
  readonly pixels: Uint8Array
}

/** Every n-th pixel of a row, from `start` on. */
export interface Columns {
  readonly start: number
  readonly step: number
}

const EVERY_COLUMN: Columns = { start: 0, step: 1 }

/** Scales down by the average over areas. Rows may come in any order and in parts, and none of them is kept. */
export function createAreaAverage(from: Size, to: Size) {
  const columns = createAxis(from.width, to.width)
  const rows = createAxis(from.height, to.height)
  // Colours are weighted by their alpha: a transparent pixel has none.
  const line = new Float64Array(to.width * 4)
  const sums = new Float32Array(to.height * to.width * 4)

  function addRow(rgba: Uint8Array, y: number, { start, step }: Columns = EVERY_COLUMN): void {
    line.fill(0)
    for (let index = 0, x = start; x < from.width; index += 4, x += step) {
      const cell = (columns.cell[x] ?? 0) * 4
      addPixel(line, cell, rgba, index, columns.weight[x] ?? 0)
      const rest = columns.rest[x] ?? 0
      if (rest > 0) addPixel(line, cell + 4, rgba, index, rest)
    }
    const row = rows.cell[y] ?? 0
    addLine(row, rows.weight[y] ?? 0)
    const rest = rows.rest[y] ?? 0
    if (rest > 0) addLine(row + 1, rest)
  }

  function addLine(row: number, weight: number): void {
    const offset = row * line.length
    for (let index = 0; index < line.length; index += 1) {
      sums[offset + index] = (sums[offset + index] ?? 0) + (line[index] ?? 0) * weight
    }
  }

  function finish(): Raster {
    const pixels = new Uint8Array(sums.length)
    for (let index = 0; index < sums.length; index += 4) {
      const alpha = sums[index + 3] ?? 0
      if (alpha === 0) continue
      pixels[index] = Math.round((sums[index] ?? 0) / alpha)
      pixels[index + 1] = Math.round((sums[index + 1] ?? 0) / alpha)
      pixels[index + 2] = Math.round((sums[index + 2] ?? 0) / alpha)
      pixels[index + 3] = Math.round(alpha)
    }
    return { ...to, pixels }
  }

  return Object.freeze({ addRow, finish })
}

export function scaleRaster(raster: Raster, to: Size): Raster {
  const average = createAreaAverage(raster, to)
  for (let y = 0; y < raster.height; y += 1) {
    average.addRow(raster.pixels.subarray(y * raster.width * 4, (y + 1) * raster.width * 4), y)
  }
  return average.finish()
}

/** For each place the cell that it falls into, how much of the cell it fills, and how much it fills of the next one. */
function createAxis(from: number, to: number) {
  const cell = new Uint32Array(from)
  const weight = new Float64Array(from)
  const rest = new Float64Array(from)
  for (let place = 0; place < from; place += 1) {
    const [left, right] = [(place * to) / from, ((place + 1) * to) / from]
    cell[place] = Math.floor(left)
    const edge = Math.floor(left) + 1
    weight[place] = Math.min(right, edge) - left
    rest[place] = Math.max(0, right - edge)
  }
  return { cell, weight, rest }
}

function addPixel(line: Float64Array, cell: number, rgba: Uint8Array, index: number, weight: number): void {
  const share = (rgba[index + 3] ?? 0) * weight
  line[cell] = (line[cell] ?? 0) + (rgba[index] ?? 0) * share
  line[cell + 1] = (line[cell + 1] ?? 0) + (rgba[index + 1] ?? 0) * share
  line[cell + 2] = (line[cell + 2] ?? 0) + (rgba[index + 2] ?? 0) * share
  line[cell + 3] = (line[cell + 3] ?? 0) + share
}
