import { expect, test } from 'vitest'
import * as Y from 'yjs'
import type { Notebook, Output } from '../document/nbformat.ts'
import { code, markdown, notebook, stream } from '../document/notebook.fixture.ts'
import { createRandom, editAtRandom, keyOf, randomNotebook } from '../document/random.fixture.ts'
import { editText } from './edit-text.ts'
import { longestRun } from './longest-run.ts'
import { createNotebookReader } from './notebook-reader.ts'
import { toSharedCell } from './shared-cell.ts'
import { writeDifference } from './write-difference.ts'

function toDoc({ cells, metadata, nbformat, nbformat_minor }: Notebook): Y.Doc {
  const doc = new Y.Doc()
  doc.getMap('meta').set('nbformat', nbformat)
  doc.getMap('meta').set('nbformat_minor', nbformat_minor)
  doc.getMap('meta').set('metadata', new Y.Map(Object.entries(metadata)))
  doc.getArray('cells').push(cells.map((cell) => toSharedCell(cell)))
  return doc
}

test('whatever is done to a notebook is done to its document', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = createRandom(seed)
    const before = randomNotebook(random, seed % 2 === 0)
    const after = editAtRandom(random, before)
    after.metadata = { seed, ...(random.below(2) === 0 && { language_info: { name: 'python' } }) }
    const keys = before.cells.map(keyOf)
    const origins = after.cells.map((cell) => {
      const at = keys.indexOf(keyOf(cell))
      return at === -1 ? undefined : at
    })
    const doc = toDoc(before)
    const reader = createNotebookReader(doc)
    expect(reader.snapshot().notebook, `seed ${seed}`).toEqual(before)
    let updates = 0
    doc.on('update', () => {
      updates += 1
    })
    doc.transact(() => writeDifference(doc, { before, after, origins }))
    expect(reader.snapshot().notebook, `seed ${seed}`).toEqual(after)
    expect(updates).toBe(1)
  }
})

test.each([
  ['', 'a'],
  ['a', ''],
  ['same', 'same'],
  ['🎻🎺', '🎺🎻'],
  ['a🎻b', 'a🎺b'],
  ['\ud83c\udfbb', '\ud83d\udfbb'],
  ['aaa', 'aa'],
  ['x'.repeat(5_000), `${'y'.repeat(3_000)}${'x'.repeat(2_000)}`],
  [lines(0, 900), lines(450, 1_350)],
])('a text is edited into another: %#', (before, after) => {
  const doc = new Y.Doc()
  const text = doc.getText('t')
  text.insert(0, before)
  doc.transact(() => editText(text, before, after))
  expect(text.toString()).toBe(after)
})

function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => `line ${from + index}`).join('\n')
}

test('the longest run is found', () => {
  expect([...longestRun([0, 1, 2])].toSorted()).toEqual([0, 1, 2])
  expect(longestRun([3, 0, 1, undefined, 2]).size).toBe(3)
  expect(longestRun([2, 1, 0]).size).toBe(1)
  expect(longestRun([]).size).toBe(0)
})

test('outputs that have grown are appended to, others replaced, and the rest left alone', () => {
  const display: Output = { output_type: 'display_data', data: { 'text/plain': 'a' }, metadata: {} }
  const before = notebook(code('x', { outputs: [stream('a'), display] }), markdown('m'))
  const doc = toDoc(before)
  const outputs = (doc.getArray('cells').get(0) as Y.Map<unknown>).get('outputs') as Y.Array<unknown>
  const [first, second] = outputs.toArray()
  const grown = structuredClone(before)
  const after = {
    ...grown,
    cells: [
      { ...code('x', { id: 'c0' }), outputs: [stream('ab'), display, stream('!')] },
      ...grown.cells.slice(1),
    ],
  }
  doc.transact(() => writeDifference(doc, { before, after, origins: [0, 1] }))
  expect(outputs.toJSON()).toEqual([stream('ab'), display, stream('!')])
  expect(outputs.get(0)).toBe(first)
  expect(outputs.get(1)).toBe(second)
})
