import { expect, test } from 'vitest'
import { checkArguments } from './check-arguments.ts'

const NEEDED = 'This is required.'
const SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    place: { $ref: '#/$defs/place' },
    steps: { type: 'array', items: { $ref: '#/$defs/place' } },
  },
  required: ['title', 'place'],
  $defs: { place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
}

test.each([
  [{}, { title: NEEDED, 'place.city': NEEDED }],
  [{ title: '', place: { city: '' } }, {}],
  [{ title: 'T', place: { city: 'B' }, count: 0 }, { count: 'The least is 1.' }],
  [{ title: 'T', place: { city: 'B' }, count: 10 }, { count: 'The most is 9.' }],
  [{ title: 'T', place: { city: 'B' }, count: 1.5 }, { count: 'This has to be a whole number.' }],
  [{ title: 'T', place: { city: 'B' }, steps: [{ city: 'A' }, {}] }, { 'steps[1].city': NEEDED }],
  // What else is wrong is left to the service.
  [{ title: 7, place: { city: 'B' }, count: 'many', steps: 'none', more: 1 }, {}],
  ['no arguments', { title: NEEDED, 'place.city': NEEDED }],
])('%j lacks %j', (value, faults) => {
  expect(Object.fromEntries(checkArguments(SCHEMA, value))).toEqual(faults)
})

test.each([
  [{ type: 'object', properties: 7, required: 'title' }],
  [{ type: 'object', properties: { a: { type: 'integer', minimum: '5', maximum: null } } }],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a' } } }],
  [{ type: 'object', properties: { a: { $ref: '#' } } }],
  [{ enum: [1, 2] }],
  [{}],
])('a schema as odd as %j asks for nothing', (schema) => {
  expect(checkArguments(schema, { a: 1 }).size).toBe(0)
})

test('a schema that asks for itself asks as deep as the form goes', () => {
  const schema = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }
  expect([...checkArguments(schema, {}).keys()]).toEqual(['a.a.a.a.a'])
})
