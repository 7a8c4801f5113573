import { expect, test } from 'vitest'
import { createLineReader } from './line-reader.ts'

function readLines(chunks: readonly (string | Buffer)[], maxBytes = 10) {
  const lines: string[] = []
  const heads: string[] = []
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOverflow: (head) => heads.push(head),
  })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  reader.end()
  return { lines, heads }
}

const euro = Buffer.from('€')

test.each<[string, (string | Buffer)[], string[], string[]]>([
  ['nothing', [], [], []],
  ['one line', ['one\n'], ['one'], []],
  ['a line in pieces', ['o', 'n', 'e\ntw', 'o\n'], ['one', 'two'], []],
  ['many lines in one piece', ['a\nb\n\nc\n'], ['a', 'b', '', 'c'], []],
  ['a last line without a newline', ['a\nb'], ['a', 'b'], []],
  ['carriage returns', ['a\r\nb\r\n'], ['a', 'b'], []],
  ['a character cut in two', [euro.subarray(0, 1), euro.subarray(1), '\n'], ['€'], []],
  ['exactly the limit', [`${'x'.repeat(10)}\n`], ['x'.repeat(10)], []],
  ['one more than the limit', [`${'x'.repeat(11)}\nnext\n`], ['next'], ['x'.repeat(10)]],
  [
    'a long line in pieces, told of once',
    ['x'.repeat(8), 'y'.repeat(8), 'z'.repeat(8), '\nnext\n'],
    ['next'],
    ['xxxxxxxxyy'],
  ],
  ['a long line that never ends', ['x'.repeat(100)], [], ['x'.repeat(10)]],
])('cuts %s', (_name, chunks, lines, heads) => {
  expect(readLines(chunks)).toEqual({ lines, heads })
})

test('a line that comes byte by byte is whole in the end', () => {
  const line = 'abcdefghij'.repeat(500)
  expect(readLines([...line, '\n'], 10_000).lines).toEqual([line])
})

test('bytes are shown first, however they came, and what is taken becomes no text', () => {
  const seen: string[] = []
  const lines: string[] = []
  const reader = createLineReader({
    maxBytes: 10,
    onLine: (line) => lines.push(line),
    onBytes(line) {
      seen.push(line.toString())
      return line.length === 3
    },
    onOverflow: () => undefined,
  })
  for (const chunk of ['one\ntwo', 'wo\nsix\n', 'x'.repeat(11), '\nend']) reader.push(Buffer.from(chunk))
  reader.end()
  expect(seen).toEqual(['one', 'twowo', 'six', 'end'])
  expect(lines).toEqual(['twowo'])
})
