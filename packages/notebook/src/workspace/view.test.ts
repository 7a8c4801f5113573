import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import type { ManagedNotebook } from './managed-notebook.ts'
import { createView } from './view.ts'
import { createWorkspace } from './workspace.ts'

/** Only its name matters here. */
const notebook = (name: string) => ({ name, path: `${name}.ipynb` }) as ManagedNotebook

function open(hasPointer: boolean, ...names: string[]) {
  const workspace = createWorkspace('ada')
  for (const name of names) workspace.put(notebook(name))
  return { workspace, view: createView(() => workspace, hasPointer) }
}

describe('which notebook is meant', () => {
  test.each([
    ['the one that is named', true, ['a', 'b'], 'b', 'b'],
    ['the only one', false, ['a'], undefined, 'a'],
    ['the only one for an explicit null', false, ['a'], null, 'a'],
  ] as const)('%s', (_what, hasPointer, names, asked, expected) => {
    verifies('NB-REPLY-4')
    expect(open(hasPointer, ...names).view.notebook(asked).name).toBe(expected)
  })

  test('in a session the one that was made current, until it is let go', () => {
    const { view, workspace } = open(true, 'a', 'b', 'c')
    view.makeCurrent('b')
    expect(view.notebook().name).toBe('b')
    expect(view.notebook('a').name).toBe('a')
    expect(view.current()).toBe('b')
    workspace.put(notebook('b'))
    expect(view.notebook().name).toBe('b')
  })

  test('in a session never one that another session has opened', () => {
    const { view, workspace } = open(true, 'a')
    const other = createView(() => workspace, true)
    view.makeCurrent('a')
    expect(view.notebook().name).toBe('a')
    expect(() => other.notebook()).toThrow(/Give notebook_name.*'a'/)
    expect(other.notebook('a').name).toBe('a')
    workspace.put(notebook('b'))
    other.makeCurrent('b')
    void workspace.remove('a').catch(() => undefined)
    expect(() => view.notebook()).toThrow(/Give notebook_name.*'b'/)
  })

  test('the one that is open from the start is meant by whoever has no other', () => {
    expect(open(true, 'default', 'of another').view.notebook().name).toBe('default')
  })

  test('two sessions of one caller have a current notebook each', () => {
    const { view, workspace } = open(true, 'a', 'b')
    const other = createView(() => workspace, true)
    view.makeCurrent('a')
    other.makeCurrent('b')
    expect([view.notebook().name, other.notebook().name]).toEqual(['a', 'b'])
  })

  test.each([
    ['none is open', true, [], undefined, /No notebook is in use yet\. Open one with use_notebook/],
    ['several are open and none is current', true, ['a', 'b'], undefined, /Give notebook_name.*'a', 'b'/],
    ['without sessions several are open', false, ['a', 'b'], null, /Give notebook_name.*'a', 'b'/],
    ['there is no such name', true, ['a'], 'x', /'x' is not connected.*'a'/],
    ['the name is empty', true, ['a'], '', /'' is not connected/],
    ['the name is one of objects', true, ['a'], '__proto__', /is not connected/],
  ] as const)('it is refused when %s', (_what, hasPointer, names, asked, message) => {
    verifies('NB-REPLY-5')
    expect(() => open(hasPointer, ...names).view.notebook(asked)).toThrow(message)
  })

  test('without sessions nothing is made current', () => {
    verifies('NB-REPLY-5')
    const { view } = open(false, 'a', 'b')
    view.makeCurrent('b')
    expect(view.current()).toBeUndefined()
    expect(() => view.notebook()).toThrow('Give notebook_name')
  })
})

test('a caller may have a hundred notebooks in use, and no more', () => {
  const { workspace } = open(true, ...Array.from({ length: 100 }, (_, index) => `n${index}`))
  expect(() => workspace.put(notebook('one more'))).toThrow(/Let one go with unuse_notebook/)
  workspace.put(notebook('n7'))
  expect(workspace.all()).toHaveLength(100)
})
