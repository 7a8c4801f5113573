import { describe, expect, test } from 'vitest'
import { cutText } from './cut-text.ts'
import { createRandom, randomText } from './random-text.fixture.ts'

const marker = (cut: number) => `[${cut} bytes cut]`

describe('cutText', () => {
  test('what fits is left alone', () => {
    expect(cutText('äöü', 6, marker)).toEqual({ text: 'äöü', bytes: 6, isCut: false })
  })

  test('keeps both ends and says how much is missing', () => {
    const text = `${'a'.repeat(500)}${'b'.repeat(500)}`
    expect(cutText(text, 38, marker)).toEqual({
      text: `${'a'.repeat(10)}\n[980 bytes cut]\n${'b'.repeat(10)}`,
      bytes: 1000,
      isCut: true,
    })
  })

  test('with no room at all the marker is left', () => {
    expect(cutText('abcdefghij'.repeat(10), 3, marker).text).toBe('[100 bytes cut]')
  })

  test('never goes beyond the bound, never cuts a character, and counts right', () => {
    const random = createRandom(3)
    for (let round = 0; round < 2000; round += 1) {
      const text = randomText(random, 300)
      const most = 30 + random(200)
      const { text: shown, isCut } = cutText(text, most, marker)
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(most)
      expect(shown.isWellFormed()).toBe(true)
      if (!isCut) continue
      const [, head = '', cut, tail = ''] = /^(.*?)\n?\[(\d+) bytes cut\]\n?(.*)$/s.exec(shown) ?? []
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(Buffer.byteLength(text) - Number(cut)).toBe(Buffer.byteLength(head) + Buffer.byteLength(tail))
    }
  })
})
