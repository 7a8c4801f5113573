import { decode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import { encodePng } from './png-writer.ts'
import { createRandom } from './random-text.fixture.ts'

const random = createRandom(6)
const noise = { width: 67, height: 71, pixels: Uint8Array.from({ length: 67 * 71 * 4 }, () => random(256)) }

describe('encodePng', () => {
  test.each([
    ['colour with alpha', 4, (pixel: number[]) => pixel],
    ['opaque colour', 3, ([red = 0, green = 0, blue = 0]: number[]) => [red, green, blue, 255]],
    ['grey with alpha', 2, ([grey = 0, , , alpha = 0]: number[]) => [grey, grey, grey, alpha]],
    ['opaque grey', 1, ([grey = 0]: number[]) => [grey, grey, grey, 255]],
  ])('another decoder reads %s as it was', async (_, channels, toPixel) => {
    const wanted = [...Array(67 * 71).keys()].map((n) =>
      toPixel([...noise.pixels.subarray(n * 4, n * 4 + 4)]),
    )
    const png = await encodePng({ ...noise, pixels: Uint8Array.from(wanted.flat()) })
    const decoded = decode(png, { checkCrc: true })
    expect(decoded).toMatchObject({ width: 67, height: 71, channels, depth: 8 })
    const kept = channels === 1 ? [0] : channels === 2 ? [0, 3] : channels === 3 ? [0, 1, 2] : [0, 1, 2, 3]
    expect([...decoded.data]).toEqual(wanted.flatMap((pixel) => kept.map((channel) => pixel[channel])))
  })

  test('slopes and flat areas compress well', async () => {
    const [width, height] = [256, 256]
    const pixels = Uint8Array.from({ length: width * height * 4 }, (_, index) => {
      const pixel = index >> 2
      return index % 4 === 3 ? 255 : index % 4 === 0 ? pixel % 256 : pixel >> 8
    })
    expect((await encodePng({ width, height, pixels })).length).toBeLessThan(width * height * 0.02)
    expect([...decode(await encodePng({ width, height, pixels })).data.subarray(0, 6)]).toEqual([
      0, 0, 0, 1, 0, 0,
    ])
  })
})
