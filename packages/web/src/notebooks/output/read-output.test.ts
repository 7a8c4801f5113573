import { expect, test } from 'vitest'
import { readOutput } from './read-output.ts'

const UNPRINTABLE = { toString: 1, valueOf: 1 }

test.each([
  [['one', 'two'], 'one\ntwo'],
  [[UNPRINTABLE, 'kept', null, 7, [UNPRINTABLE]], '\nkept\n\n7\n'],
  [UNPRINTABLE, ''],
  ['no list', ''],
])('a traceback of %j is text', (traceback, text) => {
  expect(readOutput({ output_type: 'error', ename: UNPRINTABLE, evalue: '', traceback })).toEqual({
    kind: 'error',
    name: '',
    value: '',
    traceback: text,
  })
})

test.each([[undefined], [null], ['text'], [[]], [{}], [{ output_type: UNPRINTABLE, data: 'none' }]])(
  '%j is no output',
  (value) => {
    expect(readOutput(value)).toBeUndefined()
  },
)
