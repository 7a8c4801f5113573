import { encode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import { writePng } from './png.fixture.ts'
import { parsePng } from './png.ts'

const png = Buffer.from(encode({ width: 3, height: 2, data: new Uint8Array(18), channels: 3 }))

function changed(change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(png)
  change(copy)
  return copy
}

describe('parsePng', () => {
  test('reads the header, and takes the chunks apart', () => {
    expect(parsePng(png)).toMatchObject({
      header: { width: 3, height: 2, depth: 8, colour: 'rgb', isInterlaced: false },
      compressed: [expect.any(Buffer)],
    })
    expect(parsePng(Buffer.concat([png, Buffer.from('behind the end')]))).toBeDefined()
  })

  const header = { rows: Buffer.alloc(9), width: 1, height: 1 }
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['the signature alone', png.subarray(0, 8)],
    ['another signature', changed((copy) => copy.write('JPEG', 1))],
    ['the header alone', png.subarray(0, 33)],
    ['no end', png.subarray(0, -12)],
    ['a cut-off end', png.subarray(0, -1)],
    ['a flipped bit in the header', changed((copy) => copy.writeUInt8(4, 19))],
    ['a flipped bit in the data', changed((copy) => copy.writeUInt8(0xff, 45))],
    ['a chunk longer than the file', changed((copy) => copy.writeUInt32BE(0xffff_ffff, 33))],
    ['no header', Buffer.concat([png.subarray(0, 8), png.subarray(33)])],
    ['two headers', Buffer.concat([png.subarray(0, 33), png.subarray(8)])],
    ['no data', Buffer.concat([png.subarray(0, 33), png.subarray(-12)])],
    ['no width', writePng({ ...header, width: 0 })],
    ['no height', writePng({ ...header, height: 0 })],
    ['an unknown colour type', writePng({ ...header, colourType: 5 })],
    ['a depth that the colour type does not have', writePng({ ...header, colourType: 2, depth: 4 })],
    ['an unknown depth', writePng({ ...header, depth: 3 })],
    ['an unknown interlacing', writePng({ ...header, interlace: 2 })],
  ])('refuses %s', (_, bytes) => {
    expect(parsePng(bytes)).toBeUndefined()
  })
})
