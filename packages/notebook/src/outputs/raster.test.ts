import { describe, expect, test } from 'vitest'
import { createRandom } from './random-text.fixture.ts'
import { scaleRaster } from './raster.ts'

const grey = (...values: number[]) => Uint8Array.from(values.flatMap((value) => [value, value, value, 255]))

describe('scaleRaster', () => {
  test('takes the average of whole areas', () => {
    const raster = { width: 4, height: 2, pixels: grey(0, 100, 10, 20, 100, 200, 30, 40) }
    expect(scaleRaster(raster, { width: 2, height: 1 })).toEqual({
      width: 2,
      height: 1,
      pixels: grey(100, 25),
    })
  })

  test('a pixel between two cells belongs to both by its parts', () => {
    const raster = { width: 3, height: 1, pixels: grey(0, 90, 240) }
    expect(scaleRaster(raster, { width: 2, height: 1 }).pixels).toEqual(grey(30, 190))
    expect(scaleRaster({ ...raster, width: 1, height: 3 }, { width: 1, height: 2 }).pixels).toEqual(
      grey(30, 190),
    )
  })

  test('transparent pixels lend no colour', () => {
    const raster = { width: 2, height: 1, pixels: Uint8Array.of(255, 0, 0, 0, 0, 0, 200, 255) }
    expect([...scaleRaster(raster, { width: 1, height: 1 }).pixels]).toEqual([0, 0, 200, 128])
    const none = { width: 2, height: 1, pixels: Uint8Array.of(255, 0, 0, 0, 0, 0, 200, 0) }
    expect([...scaleRaster(none, { width: 1, height: 1 }).pixels]).toEqual([0, 0, 0, 0])
  })

  test('one colour stays that colour, whatever the sizes', () => {
    const random = createRandom(4)
    for (let round = 0; round < 200; round += 1) {
      const [width, height] = [1 + random(40), 1 + random(40)]
      const colour = [random(256), random(256), random(256), 1 + random(255)]
      const raster = {
        width,
        height,
        pixels: Uint8Array.from(
          Array(width * height)
            .fill(colour)
            .flat(),
        ),
      }
      const to = { width: 1 + random(width), height: 1 + random(height) }
      expect([...scaleRaster(raster, to).pixels]).toEqual(
        Array(to.width * to.height)
          .fill(colour)
          .flat(),
      )
    }
  })

  test('the same size is the same image', () => {
    const random = createRandom(5)
    const pixels = Uint8Array.from({ length: 7 * 5 * 4 }, (_, index) => (index % 4 === 3 ? 255 : random(256)))
    expect(scaleRaster({ width: 7, height: 5, pixels }, { width: 7, height: 5 }).pixels).toEqual(pixels)
  })
})
