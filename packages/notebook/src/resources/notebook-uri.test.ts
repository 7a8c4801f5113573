import { describe, expect, test } from 'vitest'
import { formatNotebookUri, type NotebookUri, parseNotebookUri } from './notebook-uri.ts'

const ADDRESSES: readonly (readonly [string, NotebookUri])[] = [
  ['notebook://analysis', { kind: 'notebook', name: 'analysis' }],
  ['notebook://my%20notes%2F2', { kind: 'notebook', name: 'my notes/2' }],
  ['notebook://..', { kind: 'notebook', name: '..' }],
  ['notebook://a/cells/4f2c', { kind: 'cell', name: 'a', cell: { id: '4f2c' } }],
  ['notebook://a/cells/x%2Foutputs%2F1', { kind: 'cell', name: 'a', cell: { id: 'x/outputs/1' } }],
  ['notebook://a/cells/@12', { kind: 'cell', name: 'a', cell: { index: 12 } }],
  ['notebook://a/cells/%4012', { kind: 'cell', name: 'a', cell: { id: '@12' } }],
  ['notebook://a/cells/4f2c/outputs/0', { kind: 'output', name: 'a', cell: { id: '4f2c' }, output: 0 }],
  ['notebook://a/cells/@3/outputs/10', { kind: 'output', name: 'a', cell: { index: 3 }, output: 10 }],
  ['notebook-output://k1/2', { kind: 'kept', id: 'k1', output: 2 }],
  ['jupyter://files/', { kind: 'file', path: '' }],
  ['jupyter://files/a%20b/%C3%A9%23.csv', { kind: 'file', path: 'a b/é#.csv' }],
  ['jupyter://kernels/ab-12', { kind: 'kernel', id: 'ab-12' }],
]

describe('an address', () => {
  test.each(ADDRESSES)('%s is written and read', (text, uri) => {
    expect(formatNotebookUri(uri)).toBe(text)
    expect(parseNotebookUri(text)).toEqual(uri)
  })

  test('of a file is read with or without its reserved characters encoded', () => {
    expect(parseNotebookUri('jupyter://files/a?b=1#c')).toEqual({ kind: 'file', path: 'a?b=1#c' })
    expect(parseNotebookUri('jupyter://files')).toEqual({ kind: 'file', path: '' })
  })

  test.each([
    '',
    'notebook',
    'notebook:',
    'notebook://',
    'notebook:///cells/a',
    'notebook://a/',
    'notebook://a/cells',
    'notebook://a/cells/',
    'notebook://a/cells/@',
    'notebook://a/cells/@-1',
    'notebook://a/cells/@1.5',
    'notebook://a/cells/@01',
    'notebook://a/cells/@99999999999',
    'notebook://a/cells/b/outputs',
    'notebook://a/cells/b/outputs/',
    'notebook://a/cells/b/outputs/-1',
    'notebook://a/cells/b/outputs/x',
    'notebook://a/cells/b/outputs/1/2',
    'notebook://a/rows/b',
    'notebook://%zz',
    'notebook://%ff',
    'Notebook://a',
    'notebook-output://a',
    'notebook-output://a/x',
    'notebook-output:///0',
    'jupyter://kernels/',
    'jupyter://kernels/a/b',
    'jupyter://other/a',
    'https://example.org/',
    'file:///etc/passwd',
    `notebook://${'a'.repeat(10_000)}`,
  ])('%j is none of ours', (text) => {
    expect(parseNotebookUri(text)).toBeUndefined()
  })
})
