import { expect, test } from 'vitest'
import type { ManagedNotebook } from '../workspace/managed-notebook.ts'
import { createViews } from './views.ts'

test('callers who have let everything go are forgotten past a bound, and others never', () => {
  const views = createViews(() => undefined)
  const busy = views.forCaller('busy')
  busy.workspace.put({ name: 'n', path: 'n.ipynb' } as ManagedNotebook)
  for (let index = 0; index < 2500; index += 1) void views.forCaller(`caller ${index}`).workspace
  expect(views.all().length).toBeLessThanOrEqual(1001)
  expect(views.forCaller('busy').notebook('n').path).toBe('n.ipynb')
  expect(views.forCaller('caller 0').workspace.owner).toBe('caller 0')
})
