import { expect, test } from 'vitest'
import { parseAnsi } from './ansi.ts'

const ESC = '\u001b'

test.each([
  ['plain', [['plain', '']]],
  [
    `${ESC}[31mred${ESC}[0m, not`,
    [
      ['red', 'text-bad'],
      [', not', ''],
    ],
  ],
  [
    `${ESC}[1;32mbold${ESC}[22mthin`,
    [
      ['bold', 'text-good font-semibold'],
      ['thin', 'text-good'],
    ],
  ],
  [
    `${ESC}[38;5;28mgreen${ESC}[39m.`,
    [
      ['green', 'text-good'],
      ['.', ''],
    ],
  ],
  [`${ESC}[38;2;250;10;10mred`, [['red', 'text-bad']]],
  [`${ESC}[48;5;160mground`, [['ground', '']]],
  [`${ESC}[90mgrey`, [['grey', 'text-quiet']]],
  [`${ESC}[2Jcleared${ESC}[10;5H`, [['cleared', '']]],
  [`${ESC}]8;;https://example.com${ESC}\\link${ESC}]8;;${ESC}\\`, [['link', '']]],
  ['<img src=x onerror=alert(1)>', [['<img src=x onerror=alert(1)>', '']]],
  [' 10%\r 50%\r100%\ndone', [['100%\ndone', '']]],
  ['10%\r50%\r', [['50%', '']]],
  ['one\r\ntwo\r\n', [['one\ntwo\n', '']]],
  ['', []],
  [`${ESC}[999;;;38;5m!`, [['!', '']]],
])('%j', (text, stretches) => {
  expect(parseAnsi(text).map(({ text: shown, className }) => [shown, className])).toEqual(stretches)
})

// Of a pattern that begins anew at every letter, or a list copied at every code, the runner would not see the end.
test.each([
  ['a line', `\r${'x'.repeat(500_000)}`, 'x'.repeat(500_000)],
  ['lists of colours', `${ESC}[${'38;'.repeat(170_000)}mend`, 'end'],
])('%s of half a million characters', (_, text, shown) => {
  expect(
    parseAnsi(text)
      .map((stretch) => stretch.text)
      .join(''),
  ).toBe(shown)
})
