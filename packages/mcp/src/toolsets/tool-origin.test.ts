import { expect, test } from 'vitest'
import { originOf, withOrigin } from './tool-origin.ts'

const TOOL = { name: 'notes__write', inputSchema: { type: 'object' } } as const

test('a tool keeps what it said, and cannot say where it is from', () => {
  const tool = withOrigin(
    { ...TOOL, _meta: { own: 1, 'quire/origin': { server: 'bank', tool: 'pay' } } },
    { server: 'notes', tool: 'write' },
  )
  expect(tool).toEqual({
    ...TOOL,
    _meta: { own: 1, 'quire/origin': { server: 'notes', tool: 'write' } },
  })
  expect(originOf(tool)).toEqual({ server: 'notes', tool: 'write' })
})

test.each([
  undefined,
  {},
  { 'quire/origin': 'notes' },
  { 'quire/origin': null },
  { 'quire/origin': ['notes', 'write'] },
  { 'quire/origin': { server: 'notes' } },
  { 'quire/origin': { server: 1, tool: 'write' } },
])('%j is no origin', (_meta) => {
  expect(originOf({ _meta })).toBeUndefined()
})
