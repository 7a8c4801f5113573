import { describe, expect, test } from 'vitest'
import { clearOutputs, setOutputs } from './edit-outputs.ts'
import { editSource, overwriteSource } from './edit-source.ts'
import type { Output } from './nbformat.ts'
import { code, markdown, notebook, stream } from './notebook.fixture.ts'

test('overwriting changes the source and nothing else', () => {
  const rest = { execution_count: 4, outputs: [stream('x')], metadata: { tags: ['t'] } }
  const draft = notebook(code('old', rest))
  expect(overwriteSource(draft, 0, 'new')).toEqual({ before: 'old', after: 'new' })
  expect(draft).toEqual(notebook(code('new', rest)))
  expect(() => overwriteSource(draft, 1, '')).toThrow(/out of range.*\[0, 0\]/)
})

describe('editing replaces text literally', () => {
  test.each([
    ['once', 'x = 1\ny = 2', { old: 'y = 2', replacement: 'y = 3' }, 'x = 1\ny = 3', 1],
    ['across lines', 'a\nb\nc', { old: 'a\nb', replacement: '' }, '\nc', 1],
    ['what looks like an expression', 'a.b aXb', { old: 'a.b', replacement: '$& $1' }, '$& $1 aXb', 1],
    ['everywhere', 'aaa', { old: 'a', replacement: 'aa', all: true }, 'aaaaaa', 3],
    ['everywhere, from the left', 'aaa', { old: 'aa', replacement: 'b', all: true }, 'ba', 1],
    ['by itself', 'abc', { old: 'b', replacement: 'b' }, 'abc', 1],
    ['beyond the basic plane', 'x = "🎻"', { old: '🎻', replacement: '🎺' }, 'x = "🎺"', 1],
  ])('%s', (_what, before, replacement, after, replaced) => {
    const draft = notebook(markdown(before))
    expect(editSource(draft, 0, replacement)).toEqual({ before, after, replaced })
    expect(draft.cells[0]?.source).toBe(after)
  })

  test.each([
    ['nothing', 'abc', { old: '', replacement: 'x' }, /must not be empty/],
    ['nothing, everywhere', 'abc', { old: '', replacement: 'x', all: true }, /must not be empty/],
    ['what is not there', 'abc', { old: 'B', replacement: 'x' }, /not found in cell 0: "B"/],
    ['what is not there, everywhere', '', { old: 'B', replacement: 'x', all: true }, /not found/],
    [
      'what is there twice',
      'abab',
      { old: 'ab', replacement: 'x' },
      /not unique in cell 0: it occurs 2 times.*replace_all/,
    ],
    ['what overlaps itself', 'aaa', { old: 'aa', replacement: 'x' }, /not unique.*2 times/],
  ])('but not %s', (_what, before, replacement, message) => {
    const draft = notebook(code(before))
    expect(() => editSource(draft, 0, replacement)).toThrow(message)
    expect(draft.cells[0]?.source).toBe(before)
  })
})

describe('outputs', () => {
  test('are cleared together with the count, and counted', () => {
    const draft = notebook(code('a', { execution_count: 4, outputs: [stream('x'), stream('y')] }))
    expect(clearOutputs(draft, 0)).toBe(2)
    expect(draft).toEqual(notebook(code('a')))
    expect(clearOutputs(draft, 0)).toBe(0)
  })

  test('are only in code cells', () => {
    const draft = notebook(markdown('m'))
    expect(() => clearOutputs(draft, 0)).toThrow(/Cell 0 is not a code cell/)
    expect(() => setOutputs(draft, 0, [], null)).toThrow(/not a code cell/)
    expect(() => clearOutputs(draft, 1)).toThrow(/out of range/)
  })

  test('are stored with what nbformat allows and no more', () => {
    const draft = notebook(code('a'))
    const kernel = { transient: { display_id: 'd' }, future: 1 }
    const given: Output[] = [
      { output_type: 'stream', name: 'stderr', text: 'half \ud83c', ...kernel },
      {
        output_type: 'display_data',
        data: { 'text/plain': 'x\ud83c', n: [{ deep: '\udfbb' }] },
        metadata: { m: 1 },
        ...kernel,
      },
      {
        output_type: 'execute_result',
        data: { 'text/plain': '🎻' },
        metadata: {},
        execution_count: 7,
        ...kernel,
      },
      { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t\ud83c'], ...kernel },
    ]
    setOutputs(draft, 0, given, 7)
    expect(draft.cells[0]).toMatchObject({ execution_count: 7 })
    expect(draft.cells[0]).toHaveProperty('outputs', [
      { output_type: 'stream', name: 'stderr', text: 'half �' },
      { output_type: 'display_data', data: { 'text/plain': 'x�', n: [{ deep: '�' }] }, metadata: { m: 1 } },
      { output_type: 'execute_result', data: { 'text/plain': '🎻' }, metadata: {}, execution_count: 7 },
      { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t�'] },
    ])
  })
})
