import { type PngFile, SAMPLES } from './png.ts'

/** Undoes the filter of a row in place (https://www.w3.org/TR/png-3/#9Filters). The first byte of a row names it; false when there is no such filter. */
export function unfilter(line: Uint8Array, above: Uint8Array, bytesPerPixel: number): boolean {
  const filter = line[0] ?? 0
  if (filter > 4) return false
  for (let index = 1; filter > 0 && index < line.length; index += 1) {
    const isFirst = index <= bytesPerPixel
    const left = isFirst ? 0 : (line[index - bytesPerPixel] ?? 0)
    const upLeft = isFirst ? 0 : (above[index - bytesPerPixel] ?? 0)
    line[index] = (line[index] ?? 0) + predict(filter, left, above[index] ?? 0, upLeft)
  }
  return true
}

/** What a filter expects a byte to be, given its neighbours. */
export function predict(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  return filter === 4 ? predictPaeth(left, up, upLeft) : 0
}

function predictPaeth(left: number, up: number, upLeft: number): number {
  const distanceLeft = Math.abs(up - upLeft)
  const distanceUp = Math.abs(left - upLeft)
  const distanceUpLeft = Math.abs(left + up - 2 * upLeft)
  if (distanceLeft <= distanceUp && distanceLeft <= distanceUpLeft) return left
  return distanceUp <= distanceUpLeft ? up : upLeft
}

/** Turns a row as it is stored into red, green, blue and alpha of eight bits each. What it returns is good until the next call. */
export function createConverter({ header, palette, transparency }: PngFile) {
  const { depth, colour } = header
  const samples = SAMPLES[colour]
  const isGrey = samples < 3
  const hasAlpha = samples % 2 === 0
  const highest = 2 ** depth - 1
  const key = hasAlpha ? undefined : transparentColour(transparency, isGrey)
  const rgba = new Uint8Array(header.width * 4)

  function convert(line: Uint8Array, width: number): Uint8Array {
    if (colour === 'rgba' && depth === 8) return line.subarray(1)
    const write = colour === 'indexed' ? writeEntry : writeColour
    for (let x = 0; x < width; x += 1) write(line, x)
    return rgba
  }

  function writeEntry(line: Uint8Array, x: number): void {
    const entry = sampleAt(line, depth, x)
    rgba[x * 4] = palette[entry * 3] ?? 0
    rgba[x * 4 + 1] = palette[entry * 3 + 1] ?? 0
    rgba[x * 4 + 2] = palette[entry * 3 + 2] ?? 0
    rgba[x * 4 + 3] = transparency[entry] ?? 255
  }

  function writeColour(line: Uint8Array, x: number): void {
    const red = sampleAt(line, depth, x * samples)
    const green = isGrey ? red : sampleAt(line, depth, x * samples + 1)
    const blue = isGrey ? red : sampleAt(line, depth, x * samples + 2)
    const isKey = key !== undefined && red === key[0] && green === key[1] && blue === key[2]
    rgba[x * 4] = toByte(red)
    rgba[x * 4 + 1] = toByte(green)
    rgba[x * 4 + 2] = toByte(blue)
    rgba[x * 4 + 3] = hasAlpha ? toByte(sampleAt(line, depth, (x + 1) * samples - 1)) : isKey ? 0 : 255
  }

  const toByte = (sample: number) => Math.round((sample * 255) / highest)
  return convert
}

/** The n-th sample of a row; its first byte names the filter. */
function sampleAt(line: Uint8Array, depth: number, index: number): number {
  if (depth === 8) return line[1 + index] ?? 0
  if (depth === 16) return ((line[1 + index * 2] ?? 0) << 8) | (line[2 + index * 2] ?? 0)
  const bit = index * depth
  return ((line[1 + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

/** Sixteen bits a sample, whatever the depth of the image. */
function transparentColour(transparency: Uint8Array, isGrey: boolean): number[] | undefined {
  if (transparency.length < (isGrey ? 2 : 6)) return undefined
  const samples = isGrey ? [0, 0, 0] : [0, 2, 4]
  return samples.map((offset) => ((transparency[offset] ?? 0) << 8) | (transparency[offset + 1] ?? 0))
}
