import { describe, expect, test } from 'vitest'
import { stripAnsi } from './ansi.ts'
import { createRandom, pick, randomText } from './random-text.fixture.ts'

const ESCAPES = new RegExp(`[${'\u001b'}\\u0080-\\u0084\\u0086-\\u009f]`)

describe('stripAnsi', () => {
  test.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['many parameters', '\u001b[38;2;255;0;128;48:5:1mx', 'x'],
    ['a private mode', '\u001b[?25lx\u001b[?1049h', 'x'],
    ['cursor and erase', '\u001b[2J\u001b[1;1Hx\u001b[K\u001b[3A', 'x'],
    ['an intermediate byte', '\u001b[2 qx\u001b[!px', 'xx'],
    [
      'every final',
      Array.from({ length: 63 }, (_, n) => `\u001b[1${String.fromCharCode(64 + n)}`).join('-'),
      '-'.repeat(62),
    ],
    ['a title ended by BEL', '\u001b]0;title\u0007x', 'x'],
    ['a title ended by ST', '\u001b]2;title\u001b\\x', 'x'],
    ['a hyperlink', '\u001b]8;;https://example.org/?a=1\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['an inline image', `\u001b]1337;File=inline=1:${'QUJD'.repeat(100_000)}\u0007x`, 'x'],
    ['DCS over lines', '\u001bPq#0;2;0;0;0\n#0~~\n-\u001b\\x', 'x'],
    ['APC', '\u001b_Gf=100;AAAA\u001b\\x', 'x'],
    ['PM', '\u001b^private\u001b\\x', 'x'],
    ['SOS', '\u001bXstring\u001b\\x', 'x'],
    ['a character set', '\u001b(Bx\u001b)0', 'x'],
    ['two characters', '\u001b7\u001b8\u001bM\u001bc\u001b=\u001b>x', 'x'],
    ['CSI in eight bits', '\u009b31mred\u009b0m', 'red'],
    ['OSC in eight bits', '\u009d0;title\u009cx\u009d0;title\u0007', 'x'],
    ['DCS, SOS, PM and APC in eight bits', '\u0090q\u009c\u0098s\u009c\u009ep\u009c\u009fa\u009cx', 'x'],
    ['the rest of C1', 'a\u0084\u008d\u009cb', 'ab'],
    ['sequences inside each other', '\u001b[3\u001b[31m1mx', '1mx'],
  ])('removes %s', (_, text, expected) => {
    expect(stripAnsi(text)).toBe(expected)
  })

  test.each([
    ['ESC at the end', 'x\u001b', 'x'],
    ['ESC before a line break', 'a\u001b\nb', 'a\nb'],
    ['ESC before a letter beyond ASCII', '\u001bé', 'é'],
    ['CSI at the end', 'x\u001b[', 'x'],
    ['CSI cut off in its parameters', 'x\u001b[38;5', 'x'],
    ['CSI before a line break', 'a\u001b[31\nb', 'a\nb'],
    ['CSI with endless parameters', `\u001b[${'1'.repeat(1000)}`, '1'.repeat(936)],
    ['a title that never ends', '\u001b]0;title\nnext line', '0;title\nnext line'],
    ['a title broken off by another sequence', '\u001b]0;title\u001b[31mred', '0;titlered'],
    ['DCS that never ends', '\u001bPabc\ndef', 'abc\ndef'],
    ['a string broken off by CAN', '\u001b_abc\u0018def\u001b\\', 'abc\u0018def'],
    ['OSC in eight bits that never ends', '\u009dHello', 'Hello'],
  ])('%s does not take the text behind it away', (_, text, expected) => {
    expect(stripAnsi(text)).toBe(expected)
  })

  test.each([
    ['\u001b]'],
    ['\u009d'],
    ['\u0090'],
    ['\u001bP\n'],
    ['\u001b['],
    ['\u001b[1;'],
    ['\u001b'],
    ['\u009b0 '],
    ['\u001b]\u0090'],
  ])('a flood of %j is removed in linear time', (introducer) => {
    // Quadratic work on a million of them would run into the time limit of the test.
    const text = stripAnsi(introducer.repeat(1_000_000))
    expect(text).not.toMatch(ESCAPES)
  })

  test('text without escapes is untouched, and none is left in any text', () => {
    const random = createRandom(1)
    for (let round = 0; round < 3000; round += 1) {
      const plain = randomText(random, 40).replace(new RegExp(ESCAPES, 'g'), '')
      expect(stripAnsi(plain)).toBe(plain)
      const parts = Array.from({ length: 6 }, () =>
        pick(random, [
          '\u001b',
          '[',
          ']',
          'P',
          '\u0007',
          '\u009b',
          '\u0090',
          '\\',
          '1;',
          '\n',
          randomText(random, 3),
        ]),
      )
      expect(stripAnsi(parts.join(''))).not.toMatch(ESCAPES)
    }
  })
})
