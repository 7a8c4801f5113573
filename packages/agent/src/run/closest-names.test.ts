import { expect, test } from 'vitest'
import { closestNames } from './closest-names.ts'

const NAMES = ['notebook__read_cell', 'notebook__run_cell', 'files__write', 'search']

test.each([
  ['read_cell', 'notebook__read_cell'],
  ['notebook_run_cell', 'notebook__run_cell'],
  ['Notebook__Run_Cells', 'notebook__run_cell'],
  ['write_file', 'files__write'],
  ['serach', 'search'],
])('"%s" is closest to "%s"', (wanted, closest) => {
  expect(closestNames(wanted, NAMES, 1)).toEqual([closest])
})

test.each([[''], ['x'], ['\u0000'], ['🦑'.repeat(1_000_000)]])(
  'odd names find as many as are wanted',
  (wanted) => {
    expect(closestNames(wanted, NAMES, 3)).toHaveLength(3)
    expect(closestNames(wanted, [], 3)).toEqual([])
  },
)
