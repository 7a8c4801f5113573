import { deflateSync } from 'node:zlib'
import { convertIndexedToRgb, decode, encode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import { assemblePng, writePng } from './png.fixture.ts'
import { parsePng } from './png.ts'
import { readScaled } from './png-reader.ts'
import { createRandom } from './random-text.fixture.ts'

async function read(png: Uint8Array, to?: { width: number; height: number }) {
  const file = parsePng(Buffer.from(png))
  return file && (await readScaled(file, to ?? file.header))
}

const pixelsOf = async (png: Uint8Array) => [...((await read(png))?.pixels ?? [])]

describe('reading a PNG', () => {
  test.each([
    ['grey', 0, 8],
    ['grey in 16 bits', 0, 16],
    ['colour', 2, 8],
    ['colour in 16 bits', 2, 16],
    ['grey with alpha', 4, 8],
    ['grey with alpha in 16 bits', 4, 16],
    ['colour with alpha', 6, 8],
    ['colour with alpha in 16 bits', 6, 16],
  ])(
    '%s: every filter, in rows and interlaced, as another decoder reads it',
    async (_, colourType, depth) => {
      const samples = [1, 0, 3, 0, 2, 0, 4][colourType] ?? 0
      for (const interlace of [0, 1]) {
        for (const [width, height] of [
          [13, 11],
          [1, 9],
          [5, 1],
          [3, 2],
        ] as const) {
          const passes = interlace ? passSizes(width, height) : [[width, height] as const]
          // Whatever bytes stand in a row, they are some picture: so random ones see every case of every filter.
          const random = createRandom(width * height + depth + colourType)
          const rows = passes.flatMap(([columns, lines]) =>
            Array.from({ length: lines }, () => [
              random(5),
              ...Array.from({ length: (columns * samples * depth) / 8 }, () => random(256)),
            ]),
          )
          const png = writePng({
            width,
            height,
            depth,
            colourType,
            interlace,
            rows: Buffer.from(rows.flat()),
          })
          expect(await pixelsOf(png)).toEqual(toRgba(decode(png)))
        }
      }
    },
  )

  test.each([1, 2, 4, 8] as const)('a palette of %i bits, with transparent entries', async (depth) => {
    const palette = Array.from({ length: 2 ** depth }, (_, entry) => [entry, 255 - entry, 7, 255])
    const data = new Uint8Array(Math.ceil((9 * depth) / 8) * 5).map((_, index) => index * 37)
    const png = Buffer.from(encode({ width: 9, height: 5, data, depth, channels: 1, palette }))
    const indices = convertIndexedToRgb(decode(png))
    expect(await pixelsOf(png)).toEqual(
      [...Array(45).keys()].flatMap((n) => [
        ...indices.subarray(n * (indices.length / 45), n * (indices.length / 45) + 3),
        255,
      ]),
    )

    const rows = Buffer.from([0, 0b0110_0000])
    const plte = ['PLTE', [1, 2, 3, 4, 5, 6]] as const
    const transparent = writePng({
      width: 4,
      height: 1,
      depth: 1,
      colourType: 3,
      rows,
      chunks: [plte, ['tRNS', [0]]],
    })
    expect(await pixelsOf(transparent)).toEqual([0, 0, 0, 0, 4, 5, 6, 255, 4, 5, 6, 255, 0, 0, 0, 0])
  })

  test.each([
    [1, [0b1010_0000], [255, 0, 255]],
    [2, [0b1101_0000], [255, 85, 0]],
    [4, [0x0f, 0x80], [0, 255, 136]],
  ])('grey of %i bits', async (depth, row, expected) => {
    const png = writePng({ width: 3, height: 1, depth, colourType: 0, rows: Buffer.from([0, ...row]) })
    expect(await pixelsOf(png)).toEqual(expected.flatMap((grey) => [grey, grey, grey, 255]))
  })

  test('one colour may be declared transparent', async () => {
    const grey = writePng({
      width: 2,
      height: 1,
      depth: 16,
      colourType: 0,
      rows: Buffer.from([0, 1, 2, 1, 3]),
      chunks: [['tRNS', [1, 2]]],
    })
    expect(await pixelsOf(grey)).toEqual([0, 0, 0, 0, 1, 1, 1, 255])
    const colour = writePng({
      width: 2,
      height: 1,
      colourType: 2,
      rows: Buffer.from([0, 1, 2, 3, 1, 2, 4]),
      chunks: [['tRNS', [0, 1, 0, 2, 0, 3]]],
    })
    expect(await pixelsOf(colour)).toEqual([0, 0, 0, 0, 1, 2, 4, 255])
  })

  test('an index beyond the palette is black', async () => {
    const png = writePng({
      width: 1,
      height: 1,
      colourType: 3,
      rows: Buffer.from([0, 200]),
      chunks: [['PLTE', [1, 2, 3]]],
    })
    expect(await pixelsOf(png)).toEqual([0, 0, 0, 255])
  })

  test('stops after the last row, whatever is compressed behind it', async () => {
    // Its second half is garbage: whoever reads on finds out.
    const compressed = deflateSync(
      Buffer.concat([Buffer.from([0, 1, 2, 3, 4]), Buffer.alloc(8 * 1024 * 1024)]),
    )
    const random = createRandom(7)
    for (let index = compressed.length >> 1; index < compressed.length; index += 1)
      compressed[index] = random(256)
    const bomb = assemblePng({ width: 1, height: 1 }, [], compressed)
    expect(await pixelsOf(bomb)).toEqual([1, 2, 3, 4])
    expect(
      await read(assemblePng({ width: 1024, height: 2048 }, [], compressed), { width: 1, height: 1 }),
    ).toBeUndefined()
  })

  test.each([
    ['rows that are missing', writePng({ width: 2, height: 3, rows: Buffer.alloc(18) })],
    ['half a row', writePng({ width: 2, height: 1, rows: Buffer.alloc(8) })],
    ['no rows', writePng({ width: 2, height: 1, rows: Buffer.alloc(0) })],
    ['a filter that does not exist', writePng({ width: 1, height: 1, rows: Buffer.from([5, 0, 0, 0, 0]) })],
    ['data that are not compressed', assemblePng({ width: 1, height: 1 }, [], Buffer.from([0, 1, 2, 3, 4]))],
    [
      'compressed data that are cut off',
      assemblePng({ width: 9, height: 9 }, [], deflateSync(Buffer.alloc(333)).subarray(0, -9)),
    ],
  ])('%s: no image', async (_, png) => {
    expect(parsePng(png)).toBeDefined()
    expect(await read(png)).toBeUndefined()
  })
})

function passSizes(width: number, height: number): (readonly [number, number])[] {
  const grids = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ]
  return grids
    .map(
      ([x = 0, dx = 1, y = 0, dy = 1]) =>
        [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)] as const,
    )
    .filter(([columns, lines]) => columns > 0 && lines > 0)
}

/** A pixel that is not seen has no colour. */
function toRgba({ data, channels, depth }: ReturnType<typeof decode>): number[] {
  const bytes = [...data].map((sample) => (depth === 16 ? Math.round(sample / 257) : sample))
  return Array.from({ length: bytes.length / channels }, (_, pixel) => {
    const [first = 0, second = 0, third = 0, fourth = 255] = bytes.slice(pixel * channels).slice(0, channels)
    const alpha = channels === 2 ? second : fourth
    if (alpha === 0) return [0, 0, 0, 0]
    return channels < 3 ? [first, first, first, alpha] : [first, second, third, alpha]
  }).flat()
}
