import { expect, test } from 'vitest'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { createViews } from './views.ts'

const NOTEBOOK = { name: 'n', path: 'n.ipynb' } as ManagedNotebook

test('each thread of a caller has a current notebook of its own, and none of the others', () => {
  const views = createViews(() => undefined)
  const one = () => views.forThread('ada', 'one')
  one().workspace.put(NOTEBOOK)
  one().makeCurrent('n')
  expect(one().notebook().path).toBe('n.ipynb')
  expect(() => views.forThread('ada', 'other').notebook()).toThrow('Give notebook_name')
  expect(views.forThread('ada', 'other').notebook('n').path).toBe('n.ipynb')
  expect(() => views.forThread('eve', 'one').notebook('n')).toThrow('not connected')
})

test('threads past a bound are forgotten, and their notebooks are not', () => {
  const views = createViews(() => undefined)
  const kept = views.forThread('ada', 'kept')
  const others = views.forThread('eve', 'kept')
  views.forThread('ada', 'left').workspace.put(NOTEBOOK)
  views.forThread('ada', 'left').makeCurrent('n')
  for (let index = 0; index < 1500; index += 1) {
    views.forThread('ada', `thread ${index}`)
    expect(views.forThread('ada', 'kept')).toBe(kept)
  }
  expect(views.forThread('eve', 'kept')).toBe(others)
  expect(views.forThread('ada', 'left').current()).toBeUndefined()
  expect(views.forThread('ada', 'left').notebook('n').path).toBe('n.ipynb')
})

test('callers who have let everything go are forgotten past a bound, and others never', () => {
  const views = createViews(() => undefined)
  const busy = views.forCaller('busy')
  busy.workspace.put({ name: 'n', path: 'n.ipynb' } as ManagedNotebook)
  for (let index = 0; index < 2500; index += 1) void views.forCaller(`caller ${index}`).workspace
  expect(views.all().length).toBeLessThanOrEqual(1001)
  expect(views.forCaller('busy').notebook('n').path).toBe('n.ipynb')
  expect(views.forCaller('caller 0').workspace.owner).toBe('caller 0')
})
