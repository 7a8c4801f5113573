import { describe, expect, test } from 'vitest'
import { parseCellIndices } from './cell-indices.ts'

describe('a list of cell indices', () => {
  test.each([
    ['0', [0]],
    ['0,1,2', [0, 1, 2]],
    ['0-2', [0, 1, 2]],
    ['0-2,4', [0, 1, 2, 4]],
    ['7-', [7, 8, 9]],
    [' 4 , 0-1,1 ', [0, 1, 4]],
    ['9,2-3,2', [2, 3, 9]],
  ])('%j of ten cells is %j', (text, expected) => {
    expect(parseCellIndices(text, 10)).toEqual(expected)
  })

  test.each([
    ['', 'No cell indices'],
    [' , ', 'No cell indices'],
    ['x', 'neither'],
    ['1.5', 'neither'],
    ['0--2', 'neither'],
    ['1-2-3', 'neither'],
    ['99999999999', 'neither'],
    ['-1', 'negative'],
    ['3-1', 'before it begins'],
    ['10', 'out of range'],
    ['0-999999999', 'out of range'],
    ['12-', 'out of range'],
  ])('%j is refused', (text, reason) => {
    expect(() => parseCellIndices(text, 10)).toThrow(reason)
  })

  test('is refused for an empty notebook', () => {
    expect(() => parseCellIndices('0', 0)).toThrow('empty')
  })
})
