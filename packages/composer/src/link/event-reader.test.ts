import { describe, expect, test } from 'vitest'
import { createEventReader } from './event-reader.ts'

function read(chunks: readonly (string | Buffer)[], maxBytes = 1000) {
  const seen = { data: [] as string[], ids: [] as string[], retries: [] as number[], overflows: 0 }
  const reader = createEventReader({
    maxBytes,
    onData: (data) => seen.data.push(data.toString()),
    onId: (id) => seen.ids.push(id),
    onRetry: (ms) => seen.retries.push(ms),
    onOverflow: () => {
      seen.overflows += 1
    },
  })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  return seen
}

const STREAM =
  ': a comment\nid: 1\nevent: message\ndata: {"a":1}\n\nretry: 20\nid:2\ndata:\n\nevent: other\ndata: no\n\ndata: {\ndata:  "b": 2}\n\n'
const EXPECTED = { data: ['{"a":1}', '{\n "b": 2}'], ids: ['1', '2'], retries: [20], overflows: 0 }

describe('events', () => {
  test.each(['\n', '\r\n', '\r'])('are read with %j at the end of lines', (end) => {
    // A lone CR is only known to end a line by what follows.
    expect(read([STREAM.replaceAll('\n', end)])).toEqual(EXPECTED)
  })

  test('are read from any cut of the stream', () => {
    const bytes = Buffer.from(STREAM.replaceAll('\n', '\r\n'))
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(EXPECTED)
    }
    expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(EXPECTED)
  })

  test('keep characters whole across chunks', () => {
    const bytes = Buffer.from('data: "é—🎵"\n\n')
    expect(read([...bytes].map((byte) => Buffer.from([byte]))).data).toEqual(['"é—🎵"'])
  })

  test.each([
    ['one endless line', ['data: ', 'x'.repeat(600), 'x'.repeat(600), '\n\n']],
    ['endlessly many lines', Array.from({ length: 300 }, () => 'data: x\n')],
    ['an endless field', ['x'.repeat(2000)]],
    ['a long event in one piece', [`data: ${'x'.repeat(2000)}\n\ndata: 1\n\n`]],
  ])('end with %s', (_name, chunks) => {
    expect(read(chunks)).toEqual({ data: [], ids: [], retries: [], overflows: 1 })
  })

  test('may be many, however long they are together', () => {
    const seen = read(Array.from({ length: 100 }, () => `: ${'c'.repeat(500)}\ndata: ${'x'.repeat(400)}\n\n`))
    expect(seen).toMatchObject({ overflows: 0, data: { length: 100 } })
  })

  test.each([
    'retry: x\n\n',
    'retry: -1\n\n',
    'retry: 1e3\n\n',
    `retry: ${'9'.repeat(30)}\n\n`,
    'id: a\0b\n\n',
    'data\n\n',
    'nonsense\n\n',
    '\n\n\n',
  ])('%j says nothing', (text) => {
    expect(read([text])).toEqual({ data: [], ids: [], retries: [], overflows: 0 })
  })
})
