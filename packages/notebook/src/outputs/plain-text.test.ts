import { describe, expect, test } from 'vitest'
import { toPlainText } from './plain-text.ts'
import { createRandom, randomText } from './random-text.fixture.ts'

describe('toPlainText', () => {
  test.each([
    ['a progress bar', '  0%|    |\r 50%|##  |\r100%|####|\ndone', '100%|####|\ndone'],
    ['a shorter text over a longer one', 'abcdef\rXY', 'XYcdef'],
    ['a line that is erased first', 'Downloading 100%\r\u001b[Kdone', 'done'],
    ['a line that is erased whole', 'Downloading 100%\u001b[2Kdone', 'done'],
    ['an erased end', 'abcdef\rab\u001b[0K', 'ab'],
    ['erasing at the end of a line', 'abc\u001b[K\ndef', 'abc\ndef'],
    ['eight-bit erasing', 'abcdef\r\u009bKx', 'x'],
    ['line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
    ['a return at the very end', '50%\r', '50%'],
    ['backspaces', 'abc\b\bX', 'aXc'],
    ['backspaces beyond the start', 'a\b\b\bXY', 'XY'],
    ['overstruck bold', 'B\bBo\bol\bld\bd', 'Bold'],
    ['characters of two units', '😀😀\r😃', '😃😀'],
    ['colours in a progress bar', '\u001b[32m 50%\u001b[0m\r\u001b[32m100%\u001b[0m', '100%'],
    ['bells and nulls', 'a\u0007b\u0000c\u007fd', 'abcd'],
    ['half a surrogate pair', 'a\ud83d', 'a\ufffd'],
  ])('shows %s as a terminal would', (_, text, expected) => {
    expect(toPlainText(text)).toBe(expected)
  })

  test('a flood of progress leaves the last line', () => {
    const flood = Array.from({ length: 50_000 }, (_, step) => `\r step ${step} of 50000`).join('')
    expect(toPlainText(`${flood}\nfinished`)).toBe(' step 49999 of 50000\nfinished')
  })

  test('text without control characters is untouched', () => {
    const random = createRandom(2)
    for (let round = 0; round < 3000; round += 1) {
      const plain = randomText(random, 40).replace(/\p{Cc}/gu, '\n')
      expect(toPlainText(plain)).toBe(plain)
    }
    expect(toPlainText('\ta\vb\fc\u0085d')).toBe('\ta\vb\fc\u0085d')
  })
})
