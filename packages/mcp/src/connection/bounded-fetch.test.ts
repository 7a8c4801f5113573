import { expect, test } from 'vitest'
import { boundFetch } from './bounded-fetch.ts'

const MOST = 100
const LINE = `data: ${'x'.repeat(33)}\n`

async function read(type: string, chunks: readonly string[]): Promise<string> {
  const body = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)))
  const fetch = boundFetch(async () => new Response(body, { headers: { 'content-type': type } }), MOST)
  return (await fetch('http://127.0.0.1/')).text()
}

const eachByte = (text: string) => [...text]

test.each([
  ['events of two lines', [`${LINE}${LINE}\n`.repeat(5)]],
  ['a chunk for each event', Array.from({ length: 5 }, () => `${LINE}${LINE}\n`)],
  ['a chunk for each line', Array.from({ length: 5 }, () => [LINE, LINE, '\n']).flat()],
  ['a chunk for each byte', eachByte(`${LINE}${LINE}\n`.repeat(3))],
  ['lines that end with CR and LF', [`${LINE.replace('\n', '\r\n')}\r\n`.repeat(5)]],
  ['such lines, byte by byte', eachByte(`${LINE.replace('\n', '\r\n')}\r\n`.repeat(5))],
])('a stream may have any number of events: %s', async (_, chunks) => {
  expect(await read('text/event-stream', chunks)).toBe(chunks.join(''))
})

test.each([
  ['an event of many lines', [LINE.repeat(3)]],
  ['an event of many chunks', [LINE, LINE, LINE]],
  ['an event that comes byte by byte', eachByte(LINE.repeat(3))],
  ['an event behind others', [`${LINE}\n`, LINE, LINE, LINE]],
  ['an event with lines that only look empty', [`${LINE} \n${LINE}\t\n${LINE}`]],
  ['a line without end', ['x'.repeat(60), 'x'.repeat(60)]],
  ['lines that end with CR alone', ['x\r'.repeat(60)]],
])('an event may not be longer than a message: %s', async (_, chunks) => {
  await expect(read('text/event-stream', chunks)).rejects.toThrow('longer than the 100 bytes')
})

test('an answer that is no stream is measured whole, whatever lines it has', async () => {
  expect(await read('application/json', ['\n'.repeat(100)])).toHaveLength(100)
  await expect(read('application/json', ['\n'.repeat(101)])).rejects.toThrow('longer than the 100 bytes')
})
