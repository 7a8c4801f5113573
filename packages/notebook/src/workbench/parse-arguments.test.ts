import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseArguments } from './parse-arguments.ts'

const schema = z.strictObject({
  index: z.int().min(0).nullish(),
  name: z.string().min(1).nullish(),
  all: z.boolean().nullable().default(false),
  indices: z.array(z.int()).nullish(),
  code: z.string().optional(),
})

describe('what can be read in one way is read that way', () => {
  test.each([
    [{ index: '3' }, { index: 3 }],
    [{ all: 'True' }, { all: true }],
    [
      { all: 'false', index: '0' },
      { all: false, index: 0 },
    ],
    [{ indices: 3 }, { indices: [3] }],
    [{ name: '' }, { name: null }],
    [{ index: '' }, { index: null }],
    [{ code: '' }, { code: '' }],
    [{ code: '3' }, { code: '3' }],
  ])('%j', (given, expected) => {
    expect(parseArguments(schema, given)).toMatchObject({ success: true, data: expected })
  })
})

describe('and everything else is refused as it came', () => {
  test.each([
    [{ index: '3.5' }],
    [{ index: '0x3' }],
    [{ index: ' 3' }],
    [{ index: '-1' }],
    [{ index: '99999999999999999999' }],
    [{ index: true }],
    [{ index: [3] }],
    [{ all: 'yes' }],
    [{ all: 1 }],
    [{ indices: ['3'] }],
    [{ indices: 'a' }],
    [{ code: 3 }],
    [{ other: 1 }],
    [JSON.parse('{"__proto__": 1}')],
    [null],
    ['index'],
    [[]],
  ])('%j', (given) => {
    expect(parseArguments(schema, given).success).toBe(false)
  })
})
