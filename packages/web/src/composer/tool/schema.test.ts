import { expect, test } from 'vitest'
import { planField, resolveSchema, startValue } from './schema.ts'

test.each([
  [{ type: 'string' }, { kind: 'text' }],
  [{ type: ['string', 'null'] }, { kind: 'text' }],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { kind: 'text' }],
  [{ type: 'boolean' }, { kind: 'truth' }],
  [{ type: 'integer' }, { kind: 'number', isWhole: true }],
  [{ enum: ['a', 1, null] }, { kind: 'choice', values: ['a', 1, null] }],
  [{ const: 3 }, { kind: 'choice', values: [3] }],
  [
    { type: 'array', items: { type: 'string' } },
    { kind: 'list', item: { type: 'string' } },
  ],
  [{ type: 'array' }, { kind: 'json' }],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { kind: 'json' }],
  [{ type: ['string', 'number'] }, { kind: 'json' }],
  [{ $ref: '#/$defs/name' }, { kind: 'text' }],
  [{ $ref: '#/$defs/circle' }, { kind: 'json' }],
  [{ $ref: 'https://elsewhere.example/schema' }, { kind: 'json' }],
  [{ $ref: '#/__proto__/constructor' }, { kind: 'json' }],
  [true, { kind: 'json' }],
  [null, { kind: 'json' }],
  ['hostile', { kind: 'json' }],
  [
    { properties: 3, required: 'x', type: 'object' },
    { kind: 'object', fields: [] },
  ],
])('%j is asked for as %j', (schema, plan) => {
  const root = { $defs: { name: { type: 'string' }, circle: { $ref: '#/$defs/circle' } } }
  expect(planField(schema, root)).toEqual(plan)
})

test('what is required comes first, and what is not described within an object is written as JSON', () => {
  const schema = {
    type: 'object',
    properties: { b: { type: 'object' }, a: { type: 'string' } },
    required: ['a'],
  }
  const plan = planField(schema, schema)
  if (plan.kind !== 'object') throw new Error('no object')
  expect(plan.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['a', true],
    ['b', false],
  ])
  expect(planField({ type: 'object' }, schema, 1)).toEqual({ kind: 'json' })
})

test('a schema that leads back to itself ends in JSON', () => {
  const root = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
  let depth = 0
  for (let schema: unknown = root; planField(schema, root, depth).kind === 'object'; depth += 1) {
    const plan = planField(schema, root, depth)
    schema = plan.kind === 'object' ? plan.fields[0]?.schema : undefined
  }
  expect(depth).toBe(5)
  expect(startValue(root, root, true)).toEqual({ next: { next: { next: { next: {} } } } })
})

test('what a reference says is completed by what stands beside it', () => {
  const root = { $defs: { name: { type: 'string', description: 'general' } } }
  expect(resolveSchema({ $ref: '#/$defs/name', description: 'special' }, root)).toEqual({
    type: 'string',
    description: 'special',
  })
})

test('a form begins with what the schema knows', () => {
  const schema = {
    type: 'object',
    properties: {
      flag: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
      only: { const: 'x' },
      some: { type: 'number', default: 7 },
      free: { type: 'string' },
      inner: { type: 'object', properties: { deep: { type: 'boolean' } }, required: ['deep'] },
    },
    required: ['flag', 'list', 'only', 'inner'],
  }
  expect(startValue(schema, schema, true)).toEqual({
    flag: false,
    list: [],
    only: 'x',
    some: 7,
    inner: { deep: false },
  })
})
