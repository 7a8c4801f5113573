import { decode, encode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import { createImageFitter } from './images.ts'
import { DEFAULT_OUTPUT_POLICY, type OutputPolicy } from './output-policy.ts'
import { assemblePng, writePng } from './png.fixture.ts'
import { createRandom } from './random-text.fixture.ts'
import type { ImageType } from './reading.ts'

const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const JPEG =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA='
const SVG = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><text>ä</text></svg>'

function fit(mime: ImageType, data: string, policy: Partial<OutputPolicy> = {}) {
  const fitter = createImageFitter({ ...DEFAULT_OUTPUT_POLICY, ...policy })
  return fitter.fit({ type: 'image', mime, data, alternative: '' })
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Bars of blue on white, as a plot has them. */
function plot(width: number, height: number): string {
  const row = Buffer.alloc(1 + width * 4, 255)
  row[0] = 0
  for (let x = 0; x < width; x += 1) if (x % 200 < 100) row.set([20, 60, 200, 255], 1 + x * 4)
  return base64(writePng({ width, height, rows: Buffer.concat(Array(height).fill(row)) }))
}

function noise(width: number, height: number, channels: number, depth: 8 | 16 = 8) {
  const random = createRandom(8)
  const length = width * height * channels
  const data = depth === 16 ? new Uint16Array(length) : new Uint8Array(length)
  return encode({ width, height, channels, depth, data: data.map(() => random(2 ** depth)) })
}

describe('an image that fits', () => {
  test.each([
    ['image/png', base64(noise(10, 10, 4))],
    ['image/jpeg', JPEG],
    ['image/gif', GIF],
  ] as const)('%s is shown as it is', async (mime, data) => {
    const bytes = Buffer.from(data, 'base64').length
    expect(await fit(mime, data)).toMatchObject({ data, isWhole: true, bytes })
    const wrapped = `${data.replace(/.{76}/g, '$&\n')}\r\n`
    expect(await fit(mime, wrapped)).toMatchObject({ data, isWhole: true })
  })

  test('SVG goes as its text', async () => {
    const { data, isWhole } = await fit('image/svg+xml', SVG)
    expect(data).toBe(SVG)
    expect(isWhole).toBe(true)
  })

  test('a PNG says how large it is', async () => {
    expect(await fit('image/png', base64(noise(12, 34, 3)))).toMatchObject({ width: 12, height: 34 })
  })
})

describe('a PNG that is too large', () => {
  test('is scaled down to the longest side, and says so', async () => {
    const fitted = await fit('image/png', plot(2000, 1500))
    expect(fitted).toMatchObject({
      isWhole: false,
      note: '[image scaled from 2000x1500 to 1568x1176]',
      width: 2000,
      height: 1500,
    })
    const image = decode(Buffer.from(fitted.data ?? '', 'base64'), { checkCrc: true })
    expect(image).toMatchObject({ width: 1568, height: 1176, channels: 3 })
    expect([...image.data.subarray(0, 3)]).toEqual([20, 60, 200])
    expect([...image.data.subarray(110 * 3, 111 * 3)]).toEqual([255, 255, 255])
  })

  test.each([
    ['colour', 3, 8],
    ['colour with alpha', 4, 8],
    ['grey', 1, 8],
    ['colour with alpha in 16 bits', 4, 16],
  ] as const)('is scaled until its bytes fit: %s', async (_, channels, depth) => {
    const policy = { maxImageBytes: 20_000 }
    const { data = '', note } = await fit('image/png', base64(noise(300, 200, channels, depth)), policy)
    expect(data.length).toBeLessThanOrEqual(20_000)
    const { width, height } = decode(Buffer.from(data, 'base64'), { checkCrc: true })
    expect(note).toBe(`[image scaled from 300x200 to ${width}x${height}]`)
    expect(width / height).toBeCloseTo(1.5, 1)
    expect(data.length).toBeGreaterThan(8_000)
  })

  test('with a palette', async () => {
    const data = new Uint8Array(400 * 300).fill(1)
    const palette = [
      [0, 0, 0],
      [10, 200, 30],
    ]
    const png = encode({ width: 400, height: 300, data, channels: 1, palette })
    const fitted = await fit('image/png', base64(png), { maxImageSide: 40 })
    const image = decode(Buffer.from(fitted.data ?? '', 'base64'))
    expect(image).toMatchObject({ width: 40, height: 30, channels: 3 })
    expect(new Set(image.data)).toEqual(new Set([10, 200, 30]))
  })

  test('that only was compressed badly stays the same image', async () => {
    const png = encode(
      { width: 200, height: 200, data: new Uint8Array(160_000).fill(255) },
      { zlib: { level: 0 } },
    )
    const fitted = await fit('image/png', base64(png), { maxImageBytes: 10_000 })
    expect(fitted).toMatchObject({ isWhole: true })
    expect(fitted.note).toBeUndefined()
    expect(decode(Buffer.from(fitted.data ?? '', 'base64'))).toMatchObject({ width: 200, height: 200 })
  })

  test('a long thin one keeps at least one pixel', async () => {
    const png = encode({ width: 5000, height: 2, data: new Uint8Array(40_000).fill(255) })
    expect((await fit('image/png', base64(png), { maxImageSide: 100 })).note).toContain('to 100x1]')
  })

  test('that fits nowhere is left out', async () => {
    const fitted = await fit('image/png', base64(noise(50, 50, 3)), { maxImageBytes: 60 })
    expect(fitted).toMatchObject({
      note: '[PNG image left out: it does not fit into 60 bytes]',
      isWhole: false,
    })
    expect(fitted.data).toBeUndefined()
  })
})

describe('an image that is left out', () => {
  const rows = Buffer.alloc(1000)
  test.each([
    ['image/jpeg', JPEG, 'JPEG image left out: it has 134 bytes'],
    ['image/gif', GIF, 'GIF image left out: it has 42 bytes'],
  ] as const)('%s that is too large', async (mime, data, note) => {
    const fitted = await fit(mime, data, { maxImageBytes: 50 })
    expect(fitted).toMatchObject({ note: `[${note}]`, isWhole: false })
    expect(fitted.data).toBeUndefined()
  })

  test('SVG of more than 16 KiB, whatever images may have', async () => {
    const long = (bytes: number) => SVG + ' '.repeat(bytes - Buffer.byteLength(SVG))
    const most = long(16 * 1024)
    expect(await fit('image/svg+xml', most, { maxImageBytes: 50 })).toMatchObject({ data: most })
    const fitted = await fit('image/svg+xml', long(16 * 1024 + 1))
    expect(fitted).toEqual({
      note: '[SVG image left out: it has 16,385 bytes]',
      isWhole: false,
      bytes: 16_385,
    })
  })

  test.each([
    ['image/png', ' '],
    ['image/png', 'not base64!'],
    ['image/png', 'A'],
    ['image/png', '===='],
    ['image/png', GIF],
    ['image/png', base64(noise(10, 10, 3)).slice(0, -40)],
    ['image/png', base64(writePng({ width: 2000, height: 2000, rows }))],
    ['image/png', base64(assemblePng({ width: 2000, height: 1 }, [], rows))],
    ['image/jpeg', 'äöü'],
    ['image/jpeg', GIF],
    ['image/gif', JPEG],
    ['image/svg+xml', '<html>'],
    ['image/svg+xml', 'no image'],
  ] as const)('%s whose data are damaged: %#', async (mime, data) => {
    const name = { 'image/png': 'PNG', 'image/jpeg': 'JPEG', 'image/gif': 'GIF', 'image/svg+xml': 'SVG' }[
      mime
    ]
    expect(await fit(mime, data)).toEqual(
      expect.objectContaining({ note: `[${name} image left out: its data are damaged]`, isWhole: false }),
    )
  })

  test.each([
    ['more pixels than we scale', 30_000, 30_000],
    ['a side beyond all reason', 4_000_000_000, 1],
  ])('a PNG with %s is never inflated', async (_, width, height) => {
    const fitted = await fit('image/png', base64(writePng({ width, height, rows })))
    expect(fitted.note).toBe(
      `[PNG image left out: it has ${width}x${height} pixels, more than are scaled for one reply]`,
    )
  })

  test('one of more bytes than we read is not even decoded', async () => {
    expect((await fit('image/png', 'A'.repeat(33 * 1024 * 1024))).note).toContain(
      'left out: it has 34,603,008 bytes',
    )
  })

  test('all images of a reply share what can be scaled', async () => {
    const fitter = createImageFitter({ ...DEFAULT_OUTPUT_POLICY, maxImageSide: 10 }, 15_000)
    const data = base64(noise(100, 100, 3))
    const reading = { type: 'image', mime: 'image/png', data, alternative: '' } as const
    expect((await fitter.fit(reading)).note).toContain('scaled from 100x100 to 10x10')
    expect((await fitter.fit(reading)).note).toContain('left out')
  })

  test('there is a limit to how many a reply holds, and the damaged do not count', async () => {
    const fitter = createImageFitter({ ...DEFAULT_OUTPUT_POLICY, maxImages: 2 })
    const shown: unknown[] = []
    for (const data of [GIF, JPEG, GIF, GIF]) {
      shown.push(await fitter.fit({ type: 'image', mime: 'image/gif', data, alternative: '' }))
    }
    expect(shown).toMatchObject([
      { data: GIF },
      { note: '[GIF image left out: its data are damaged]' },
      { data: GIF },
      { note: '[GIF image left out: a reply holds at most 2 images]', isWhole: false },
    ])
  })
})

test('without images there is a placeholder, which is all that was asked for', async () => {
  expect(await fit('image/jpeg', JPEG, { images: false })).toEqual({
    note: '[Image Output (JPEG) - Image display disabled]',
    isWhole: true,
  })
})
