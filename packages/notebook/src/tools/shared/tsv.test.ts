import { describe, expect, test } from 'vitest'
import { toTsv } from './tsv.ts'

describe('a table', () => {
  test('is tab-separated, with the header first and no newline at the end', () => {
    expect(
      toTsv(
        ['A', 'B'],
        [
          ['1', '2'],
          ['', '4'],
        ],
      ),
    ).toBe('A\tB\n1\t2\n\t4')
  })

  test('says so when it is empty', () => {
    expect(toTsv(['A'], [])).toBe('No data to display')
  })

  test.each(['a\tb', 'a\nb', 'a\r\nb', 'a\rb', 'a\vb', 'a\fb', 'a\u0085b', 'a\u2028b', 'a\u2029b'])(
    'keeps %j in its row and column',
    (value) => {
      expect(toTsv(['A', 'B'], [[value, 'x']])).toBe('A\tB\na b\tx')
    },
  )
})
