import { expect, test } from 'vitest'
import { isVisibleTo } from './tool-visibility.ts'

test.each([
  [undefined, true, true],
  [{ ui: {} }, true, true],
  [{ ui: { visibility: ['model', 'app'] } }, true, true],
  [{ ui: { visibility: ['app'] } }, false, true],
  [{ ui: { visibility: ['model'] } }, true, false],
  [{ ui: { visibility: [] } }, false, false],
  [{ ui: { visibility: 'app' } }, false, true],
  [{ ui: { visibility: null } }, false, false],
  [{ ui: { visibility: { 0: 'model' } } }, false, false],
])('a tool with %j is visible to the model: %s, to apps: %s', (_meta, model, app) => {
  const tool = _meta ? { _meta } : {}
  expect([isVisibleTo(tool, 'model'), isVisibleTo(tool, 'app')]).toEqual([model, app])
})
