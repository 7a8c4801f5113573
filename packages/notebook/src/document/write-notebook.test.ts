import { expect, test } from 'vitest'
import type { Cell, Output } from './nbformat.ts'
import { code, markdown, notebook, oldNotebook, stream } from './notebook.fixture.ts'
import { toNotebook } from './read-notebook.ts'
import { toContent } from './write-notebook.ts'

const empty = notebook()

test('what nbformat forbids is left out', () => {
  const draft = toNotebook({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      { ...code('a', { id: 'a' }), outputs: [{ ...stream('x'), transient: { display_id: 'd' } }] },
      { ...markdown('b', { id: 'b' }), outputs: [], execution_count: null },
    ],
  })
  expect(toContent(draft, empty)).toEqual(
    notebook(code('a', { id: 'a', outputs: [stream('x')] }), markdown('b', { id: 'b' })),
  )
})

/** What the types would not let anybody write, but a kernel or a mistake could. */
function broken<Value>(value: unknown): Value {
  return value as Value
}

test.each<[string, Cell, RegExp]>([
  ['an id of other signs', code('a', { id: 'a b' }), /its id is not made of/],
  ['an empty id', code('a', { id: '' }), /its id is not made of/],
  ['an id of much text', code('a', { id: 'a'.repeat(65) }), /its id is not made of/],
  ['half a character', code('x = "\ud83c"'), /half a surrogate pair/],
  ['a source in lines', code(broken(['a'])), /source is not text/],
  ['no metadata', code('a', { metadata: broken(null) }), /metadata is not an object/],
  ['half a count', code('a', { execution_count: 1.5 }), /execution count is not a whole number/],
  ['no count', code('a', { execution_count: broken(undefined) }), /execution count is not a whole number/],
  ['no outputs', code('a', { outputs: broken(undefined) }), /outputs are not a list/],
])('a cell with %s is not written', (_what, cell, message) => {
  const draft = broken<ReturnType<typeof notebook>>({
    ...empty,
    cells: [code('fine', { id: 'f' }), { id: 'c', ...cell }],
  })
  expect(() => toContent(draft, empty)).toThrow(/Cell 1 would make the notebook invalid/)
  expect(() => toContent(draft, empty)).toThrow(message)
})

test.each<[string, unknown]>([
  ['a stream without text', { output_type: 'stream', name: 'stdout' }],
  ['a stream without a name', { output_type: 'stream', text: '' }],
  [
    'a result with half a count',
    { output_type: 'execute_result', data: {}, metadata: {}, execution_count: 0.5 },
  ],
  ['a result without data', { output_type: 'execute_result', metadata: {}, execution_count: 1 }],
  ['a picture without metadata', { output_type: 'display_data', data: {} }],
  ['an error without a traceback', { output_type: 'error', ename: 'E', evalue: '' }],
  ['an error with a number in it', { output_type: 'error', ename: 'E', evalue: '', traceback: [1] }],
  ['an output of another kind', { output_type: 'hologram' }],
])('%s is not written', (_what, output) => {
  const draft = notebook(code('a', { outputs: [stream('fine'), broken<Output>(output)] }))
  expect(() => toContent(draft, empty)).toThrow(/Cell 0 would make the notebook invalid: its output 1 /)
})

test('ids belong to formats that have them', () => {
  const withId = oldNotebook(code('a', { id: 'a' }))
  expect(() => toContent(withId, oldNotebook())).toThrow(/has an id, which its format does not know/)
  const without = { ...empty, cells: [code('a')] }
  expect(() => toContent(without, empty)).toThrow(/has no id/)
})

test('a fault that was there before does not stand in the way of an edit', () => {
  const hologram = broken<Output>({ output_type: 'hologram' })
  const before = { ...empty, cells: [code('a', { id: 'my id', outputs: [hologram] }), code('b')] }
  const draft = { ...empty, cells: [code('A', { id: 'my id', outputs: [hologram] }), code('B')] }
  expect(toContent(draft, before)).toEqual(draft)
})
