import { expect, test } from 'vitest'
import { isVisibleTo, uiResourceOf } from './tool-ui.ts'

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ ui: { resourceUri: 'ui://a' } }, 'ui://a'],
  [{ 'ui/resourceUri': 'ui://a' }, 'ui://a'],
  [{ ui: { resourceUri: 'ui://a' }, 'ui/resourceUri': 'ui://b' }, 'ui://a'],
  [{ ui: {}, 'ui/resourceUri': 'ui://b' }, 'ui://b'],
  [{ ui: { resourceUri: 'https://evil.example' } }, undefined],
  [{ ui: { resourceUri: 7 } }, undefined],
  [{ ui: 'ui://a' }, undefined],
  [{ ui: null }, undefined],
])('the user interface of a tool with %j is %s', (_meta, expected) => {
  expect(uiResourceOf(_meta ? { _meta } : {})).toBe(expected)
})

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
