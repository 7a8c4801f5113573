import { expect, test } from 'vitest'
import { createEventLines } from './event-lines.ts'

function read(pieces: readonly Buffer[]): string[] {
  const seen: string[] = []
  const lines = createEventLines((data) => seen.push(data))
  for (const piece of pieces) lines.push(piece)
  lines.end()
  return seen
}

const STREAMS: readonly [string, string, readonly string[]][] = [
  ['two events', 'data: {"a":1}\n\ndata: [DONE]\n\n', ['{"a":1}', '[DONE]']],
  ['CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['no space after the colon, and two', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
  ['data on several lines', 'data: a\ndata: b\n\n', ['a\nb']],
  ['comments and other fields', ': hi\n\nevent: x\nid: 1\nretry: 5\ndata: a\n: more\n\n', ['a']],
  ['blank lines alone', '\n\n\r\n\n', []],
  ['an empty event', 'data:\n\ndata\n\ndatax: y\n\n', ['']],
  ['a byte order mark', '\ufeffdata: a\n\ndata: \ufeffb\n\n', ['a', '\ufeffb']],
  ['no blank line after the last', 'data: a\n\ndata: b\n', ['a', 'b']],
  ['a last line without its end', 'data: a\n\ndata: {"ha', ['a']],
  ['long characters', 'data: déjà 日本 👩‍🚀\n\n', ['déjà 日本 👩‍🚀']],
  ['a lone CR', 'data: a\rb\n\n', ['a\rb']],
]

test.each(STREAMS)('%s', (_, text, expected) => {
  const bytes = Buffer.from(text)
  expect(read([bytes])).toStrictEqual(expected)
  for (let at = 0; at <= bytes.length; at++)
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toStrictEqual(expected)
  expect(read(Array.from(bytes, (byte) => Buffer.of(byte)))).toStrictEqual(expected)
})

test('a long line in very many pieces is one', () => {
  const long = 'x'.repeat(5_000)
  expect(read(Array.from(Buffer.from(`data: ${long}\n\n`), (byte) => Buffer.of(byte)))).toStrictEqual([long])
})

test('bytes that are no UTF-8 do no harm', () => {
  const bytes = Buffer.concat([Buffer.from('data: '), Buffer.of(0xff, 0xc3), Buffer.from('\n\ndata: a\n\n')])
  expect(read([bytes])).toStrictEqual(['\ufffd\ufffd', 'a'])
})
