import { describe, expect, test } from 'vitest'
import { ToolError } from '../tool-error.ts'
import { emptyNotebook } from './empty-notebook.ts'
import { refuseOldFormat, toNotebook } from './read-notebook.ts'

function withCells(...cells: unknown[]) {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells }
}

describe('a notebook is read', () => {
  test('with every multi-line text joined, and tracebacks and JSON left as they are', () => {
    const { cells } = toNotebook(
      withCells(
        {
          cell_type: 'code',
          id: 'a',
          metadata: {},
          source: ['x = 1\n', 'x'],
          execution_count: 3,
          outputs: [
            { output_type: 'stream', name: 'stderr', text: ['one\n', 'two'] },
            {
              output_type: 'execute_result',
              execution_count: 3,
              metadata: {},
              data: {
                'text/plain': ['1', '2'],
                'image/svg+xml': ['<svg>', '</svg>'],
                'application/json': ['a', 'b'],
                'application/vnd.plotly.v1+json': ['c'],
              },
            },
            { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['first', 'second'] },
          ],
        },
        {
          cell_type: 'markdown',
          id: 'b',
          metadata: {},
          source: ['# T'],
          attachments: { 'a.png': { 'image/png': ['AA', 'BB'] } },
        },
      ),
    )
    expect(cells).toEqual([
      {
        cell_type: 'code',
        id: 'a',
        metadata: {},
        source: 'x = 1\nx',
        execution_count: 3,
        outputs: [
          { output_type: 'stream', name: 'stderr', text: 'one\ntwo' },
          {
            output_type: 'execute_result',
            execution_count: 3,
            metadata: {},
            data: {
              'text/plain': '12',
              'image/svg+xml': '<svg></svg>',
              'application/json': ['a', 'b'],
              'application/vnd.plotly.v1+json': ['c'],
            },
          },
          { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['first', 'second'] },
        ],
      },
      {
        cell_type: 'markdown',
        id: 'b',
        metadata: {},
        source: '# T',
        attachments: { 'a.png': { 'image/png': 'AABB' } },
      },
    ])
  })

  test('with the keys that nobody here knows', () => {
    const content = {
      ...withCells(
        {
          cell_type: 'raw',
          id: 'r',
          metadata: { tags: ['t'], deep: { x: [1] } },
          source: 's',
          future: { y: 1 },
        },
        {
          cell_type: 'code',
          id: 'c',
          metadata: {},
          source: '',
          execution_count: null,
          mine: true,
          outputs: [
            { output_type: 'stream', name: 'stdout', text: 't', extra: 1 },
            { output_type: 'hologram', beam: ['x'] },
          ],
        },
      ),
      top: 'level',
    }
    expect(toNotebook(content)).toEqual(content)
  })

  test('with what must be there filled in', () => {
    const { cells } = toNotebook({
      nbformat: 4,
      cells: [
        { cell_type: 'code' },
        { cell_type: 'markdown', source: 'm' },
        {
          cell_type: 'code',
          execution_count: 1.5,
          outputs: [{ output_type: 'stream' }, { output_type: 'error' }],
        },
        { cell_type: 'code', outputs: [{ output_type: 'display_data' }, { output_type: 'execute_result' }] },
      ],
    })
    expect(cells).toEqual([
      { cell_type: 'code', source: '', metadata: {}, execution_count: null, outputs: [] },
      { cell_type: 'markdown', source: 'm', metadata: {} },
      {
        cell_type: 'code',
        source: '',
        metadata: {},
        execution_count: null,
        outputs: [
          { output_type: 'stream', name: 'stdout', text: '' },
          { output_type: 'error', ename: '', evalue: '', traceback: [] },
        ],
      },
      {
        cell_type: 'code',
        source: '',
        metadata: {},
        execution_count: null,
        outputs: [
          { output_type: 'display_data', data: {}, metadata: {} },
          { output_type: 'execute_result', data: {}, metadata: {}, execution_count: null },
        ],
      },
    ])
  })

  test('without touching what it was read from', () => {
    const content = withCells({
      cell_type: 'code',
      source: ['a', 'b'],
      outputs: [{ output_type: 'stream', text: ['x'] }],
    })
    const before = structuredClone(content)
    toNotebook(content)
    expect(content).toEqual(before)
  })
})

describe('what is not a notebook of format 4 is refused', () => {
  test.each([
    ['nothing', undefined, /not a notebook: .*JSON object/],
    ['null', null, /JSON object/],
    ['a list', [], /JSON object/],
    ['text', '{"cells": []}', /JSON object/],
    ['no format', { cells: [] }, /which notebook format/],
    ['a format in words', { nbformat: '4', cells: [] }, /which notebook format/],
    ['format 3', { nbformat: 3, worksheets: [] }, /old format 3.*Open and save it once in Jupyter/],
    ['format 2', { nbformat: 2 }, /old format 2.*Open and save it once in Jupyter/],
    ['format 5', { nbformat: 5, cells: [] }, /format 5.*only the format 4/],
    ['not a number', { nbformat: Number.NaN, cells: [] }, /only the format 4/],
    ['no cells', { nbformat: 4 }, /no list of cells/],
    ['cells in an object', { nbformat: 4, cells: {} }, /no list of cells/],
    ['a cell that is null', withCells(null), /cell 0 is not a JSON object/],
    ['a cell that is a list', withCells({ cell_type: 'raw' }, []), /cell 1 is not a JSON object/],
    ['a cell without a type', withCells({ source: '' }), /cell 0 is of the type "undefined"/],
    ['a cell of another type', withCells({ cell_type: 'heading' }), /cell 0 is of the type "heading"/],
    ['a type of much text', withCells({ cell_type: 'x'.repeat(9_999) }), /cell 0 is of the type "x{80}…"/],
    ['a source that is a number', withCells({ cell_type: 'code', source: 1 }), /cell 0 has a source/],
    [
      'a source with a number in it',
      withCells({ cell_type: 'code', source: ['a', 1] }),
      /cell 0 has a source/,
    ],
    ['outputs in an object', withCells({ cell_type: 'code', outputs: {} }), /cell 0 has outputs/],
    ['an output that is text', withCells({ cell_type: 'code', outputs: ['x'] }), /cell 0 has an output/],
  ])('%s', (_what, content, message) => {
    expect(() => toNotebook(content)).toThrow(ToolError)
    expect(() => toNotebook(content)).toThrow(message)
  })
})

test('a notebook that the server converted while reading is not to be written', () => {
  const converted = toNotebook({ ...withCells(), metadata: { orig_nbformat: 3, orig_nbformat_minor: 0 } })
  expect(() => refuseOldFormat(converted)).toThrow(/old format 3.*Open and save it once in Jupyter/)
  // Some editors leave the current format there.
  const current = toNotebook({ ...withCells(), metadata: { orig_nbformat: 4 } })
  expect(() => refuseOldFormat(current)).not.toThrow()
})

test('a new notebook is in format 4.5 and names its kernel and language', () => {
  expect(emptyNotebook()).toEqual({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 })
  const kernelspec = { name: 'python3', displayName: 'Python 3' }
  expect(emptyNotebook({ kernelspec, language: 'python' }).metadata).toEqual({
    kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
    language_info: { name: 'python' },
  })
})
