import { expect, test } from 'vitest'
import type { Output } from '../document/nbformat.ts'
import { createOutputCollector, type OutputCollector } from './output-collector.ts'

type OutputEvent = Parameters<OutputCollector['add']>[0]

const print = (text: string, name: 'stdout' | 'stderr' = 'stdout') =>
  ({ type: 'output', output: { output_type: 'stream', name, text } }) as const
const show = (text: string, displayId?: string) =>
  ({
    type: 'output',
    output: { output_type: 'display_data', data: { 'text/plain': text }, metadata: {} },
    displayId,
  }) as const
const update = (text: string, displayId: string) =>
  ({ type: 'update_display', displayId, data: { 'text/plain': text }, metadata: { new: true } }) as const
const error: OutputEvent = {
  type: 'output',
  output: { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t'] },
}

test('text of one stream that comes in pieces is one output, another output begins a new one', () => {
  const collector = collect(
    print('a'),
    print('b\r'),
    print('e', 'stderr'),
    print('c\b'),
    print('d'),
    show('x'),
    print('f'),
  )
  expect(collector.outputs()).toEqual([
    { output_type: 'stream', name: 'stdout', text: 'ab\r' },
    { output_type: 'stream', name: 'stderr', text: 'e' },
    { output_type: 'stream', name: 'stdout', text: 'c\bd' },
    show('x').output,
    { output_type: 'stream', name: 'stdout', text: 'f' },
  ])
})

test('what was handed in is not written to', () => {
  const first = print('a')
  collect(first, print('b'))
  expect(first.output.text).toBe('a')
})

test.each([
  ['at once', [print('a'), { type: 'clear', wait: false }], []],
  ['with the next output', [print('a'), { type: 'clear', wait: true }, print('b')], ['b']],
  ['not yet when nothing followed', [print('a'), { type: 'clear', wait: true }], ['a']],
  ['once', [print('a'), { type: 'clear', wait: true }, print('b'), show('x'), print('c')], ['b', 'c']],
  [
    'at once although it was to wait',
    [print('a'), { type: 'clear', wait: true }, { type: 'clear', wait: false }, print('b')],
    ['b'],
  ],
] as const)('clears %s', (_name, events, texts) => {
  expect(textsOf(collect(...events).outputs())).toEqual(texts)
})

test('updates what is displayed under an id, wherever it stands', () => {
  const collector = collect(
    show('1', 'a'),
    show('2', 'b'),
    print('x'),
    show('3', 'a'),
    update('new', 'a'),
    update('none', 'z'),
  )
  expect(
    collector.outputs().map((output) => ('data' in output ? output.data['text/plain'] : output.output_type)),
  ).toEqual(['new', '2', 'stream', 'new'])
})

test('what is cleared is not updated', () => {
  expect(collect(show('1', 'a'), { type: 'clear', wait: false }, update('new', 'a')).outputs()).toEqual([])
})

test('keeps no more than its bound, counts the rest, and says so at the end', () => {
  const collector = createOutputCollector({ maxBytes: 10_000 })
  let given = 0
  for (let index = 0; index < 200_000; index += 1) {
    const text = `line ${index}\n`
    given += text.length
    collector.add(print(text))
  }
  const [output, marker] = collector.outputs()
  const text = output?.output_type === 'stream' ? output.text : ''
  expect(text.startsWith('line 0\nline 1\n')).toBe(true)
  expect(collector.omitted()).toBe(given - text.length)
  expect(marker).toEqual({
    output_type: 'stream',
    name: 'stderr',
    text: `\n[output cut: ${given - text.length} more bytes were not kept: one execution keeps at most 10000 bytes, save what is larger to a file]\n`,
  })
  expect(sizeOf(collector)).toBeLessThanOrEqual(10_000)
  expect(text.length).toBeGreaterThan(7_000)
})

test.each([
  ['tiny streams in turn', (index: number) => print('x', index % 2 === 0 ? 'stdout' : 'stderr')],
  ['small displays', () => show('x')],
  ['errors', () => error],
  ['characters of several bytes', () => print('😀é'.repeat(5))],
  [
    'displays that grow',
    (index: number) => (index === 0 ? show('x', 'a') : update('x'.repeat(index * 100), 'a')),
  ],
])('keeps no more than its bound of %s', (_name, next) => {
  const collector = createOutputCollector({ maxBytes: 20_000 })
  for (let index = 0; index < 2_000; index += 1) collector.add(next(index))
  expect(sizeOf(collector)).toBeLessThanOrEqual(20_000)
  expect(JSON.stringify(collector.outputs())).not.toContain('\ufffd')
  expect(collector.omitted()).toBeGreaterThan(0)
})

test.each([0, 1, 300, 400])('a bound of %i bytes keeps next to nothing and breaks nothing', (maxBytes) => {
  const collector = createOutputCollector({ maxBytes })
  for (const event of [print('a'.repeat(1_000)), show('x'), error]) collector.add(event)
  expect(textsOf(collector.outputs()).at(-1)).toMatch(/output cut/)
})

test('an error finds room after a flood', () => {
  const collector = createOutputCollector({ maxBytes: 10_000 })
  collector.add(print('x'.repeat(50_000)))
  collector.add(error)
  collector.add(print('after'))
  expect(collector.outputs().map(({ output_type }) => output_type)).toEqual(['stream', 'error', 'stream'])
  expect(textsOf(collector.outputs()).at(-1)).toMatch(/output cut/)
})

test('one output that is too large does not keep the others out', () => {
  const collector = createOutputCollector({ maxBytes: 10_000 })
  expect(collector.add(show('x'.repeat(50_000)))).toBeUndefined()
  expect(collector.add(print('after'))).toEqual(print('after').output)
  expect(textsOf(collector.outputs())).toEqual(['after', expect.stringMatching(/output cut: 5\d{4} more/)])
})

test('what could not be kept at all is named, the first three of it', () => {
  const large = (mime: string) =>
    ({
      type: 'output',
      output: {
        output_type: 'display_data',
        data: { 'text/plain': '<Figure>', [mime]: 'x'.repeat(50_000) },
        metadata: {},
      },
    }) as const
  const collector = createOutputCollector({ maxBytes: 10_000 })
  collector.add(large('image/png'))
  collector.add(print('after'))
  expect(textsOf(collector.outputs()).at(-1)).toMatch(
    /^\n\[output cut: (\d+) more bytes were not kept \(image\/png of \1 bytes\): one execution keeps at most 10000 bytes, save what is larger to a file\]\n$/,
  )
  for (const mime of ['image/jpeg', `application/${'y'.repeat(1000)}`, 'image/gif'])
    collector.add(large(mime))
  const marker = textsOf(collector.outputs()).at(-1)
  expect(marker).toMatch(
    /\(image\/png of \d+ bytes, image\/jpeg of \d+ bytes, application\/y{28} of \d+ bytes\)/,
  )
  expect(sizeOf(collector)).toBeLessThanOrEqual(10_000)
  collector.add({ type: 'clear', wait: false })
  collector.add(print('x'.repeat(50_000)))
  expect(textsOf(collector.outputs()).at(-1)).not.toContain('image/png')
})

test('clearing makes room', () => {
  const collector = createOutputCollector({ maxBytes: 10_000 })
  collector.add(print('x'.repeat(50_000)))
  collector.add({ type: 'clear', wait: true })
  collector.add(print('new'))
  expect(textsOf(collector.outputs())).toEqual(['new'])
})

function collect(...events: OutputEvent[]): OutputCollector {
  const collector = createOutputCollector()
  for (const event of events) collector.add(event)
  return collector
}

function textsOf(outputs: readonly Output[]): string[] {
  return outputs.flatMap((output) => (output.output_type === 'stream' ? [output.text] : []))
}

/** All text and data. */
function sizeOf(collector: OutputCollector): number {
  return collector
    .outputs()
    .map((output) =>
      Buffer.byteLength(output.output_type === 'stream' ? output.text : JSON.stringify(output)),
    )
    .reduce((sum, bytes) => sum + bytes, 0)
}
