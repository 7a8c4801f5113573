import type { Tool } from '@modelcontextprotocol/client'
import { createLogger } from '@quire/kit/log'
import { beforeEach, describe, expect, test } from 'vitest'
import { catalogOf, tool } from './offers.fixture.ts'
import { createArgumentCheck } from './validate-arguments.ts'

let lines: string[] = []
const logger = createLogger({
  level: 'info',
  pretty: false,
  destination: { write: (line) => void lines.push(line) },
})
beforeEach(() => {
  lines = []
})

function check(schema: unknown, args: unknown) {
  const inputSchema = schema as Tool['inputSchema']
  const [entry] = catalogOf({ one: [{ ...tool('a'), inputSchema }] }).tools()
  if (!entry) throw new Error('the tool is not listed')
  return createArgumentCheck({ logger })(entry, args)
}

const note = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    kind: { enum: ['a', 'b'] },
    'a/b c~': { type: 'integer' },
    // A parameter with the name of a keyword is a parameter.
    pattern: { type: 'string' },
  },
  required: ['title'],
  additionalProperties: false,
}

describe('arguments', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['all is well', { title: 'x', tags: ['p', 'q'], kind: 'a', 'a/b c~': 1, pattern: '(' }, []],
    ['something is missing', {}, ['body']],
    ['nothing is sent', undefined, ['body']],
    ['a list is sent', [], ['body']],
    ['null is sent', null, ['body']],
    ['a type is wrong', { title: 7 }, ['body.title']],
    ['an item is wrong', { title: 'x', tags: ['p', 1, 2] }, ['body.tags[1]', 'body.tags[2]']],
    ['items are equal', { title: 'x', tags: ['p', 'p'] }, ['body.tags']],
    ['a value is not among the known', { title: 'x', kind: 'c' }, ['body.kind']],
    ['a name has odd characters', { title: 'x', 'a/b c~': 1.5 }, ['body.a/b c~']],
    ['a name is unknown', { title: 'x', more: 1 }, ['body.more']],
    ['a keyword for a name', { title: 'x', pattern: 1 }, ['body.pattern']],
    ['several things are wrong', { title: '', kind: 1, more: 1 }, ['body.title', 'body.kind', 'body.more']],
    ['a prototype is sent', JSON.parse('{"title":"x","__proto__":{"kind":"a"}}'), ['body.__proto__']],
  ])('%s', (_what, args, paths) => {
    const faults = check(note, args)
    expect(faults.map(({ path }) => path)).toEqual(paths)
    for (const { message } of faults) expect(message).not.toBe('')
    expect(lines).toEqual([])
  })

  test.each([['; #/%E0: y'], ['#/a: b; #: c'], ['\ud800'], ['a\nb; #: '], ['x'.repeat(200_000)]])(
    'a name that looks like an answer (%#) is a name, or passes',
    (name) => {
      expect(() => check(note, { title: 'x', [name]: 1 })).not.toThrow()
    },
  )

  test('an unknown name is told in plain words', () => {
    expect(check(note, { title: 'x', more: 1 })).toEqual([
      { path: 'body.more', message: 'This is not among what the tool takes.' },
    ])
  })

  test.each([
    ['https://json-schema.org/draft/2020-12/schema', '$defs'],
    ['http://json-schema.org/draft-07/schema#', 'definitions'],
  ])('references are followed in %s', ($schema, defs) => {
    const node = { type: 'object', properties: { next: { $ref: `#/${defs}/node` }, n: { type: 'number' } } }
    const schema = {
      $schema,
      type: 'object',
      properties: { head: { $ref: `#/${defs}/node` } },
      [defs]: { node },
    }
    expect(check(schema, { head: { n: 1, next: { next: { n: 2 } } } })).toEqual([])
    expect(check(schema, { head: { next: { next: { n: 'x' } } } })).toMatchObject([
      { path: 'body.head.next.next.n' },
    ])
  })

  test('many faults are told in part, and a flood of them is still a fault', () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } }
    expect(check(schema, { list: Array.from({ length: 100 }, () => 1) })).toHaveLength(20)
    const flood = check(schema, { list: Array.from({ length: 150_000 }, () => 1) })
    expect(flood.length).toBeGreaterThan(0)
    expect(flood[0]?.path).toBe('body.list[0]')
  })
})

describe('what is not checked makes no right value wrong', () => {
  const nothing: readonly string[] = []
  test.each<[string, object, unknown]>([
    ['a pattern', { properties: { x: { pattern: '^a' } } }, { x: 'b' }],
    ['a format', { properties: { x: { format: 'date' } } }, { x: 'b' }],
    ['a pattern under not', { properties: { x: { not: { pattern: '^a' } } } }, { x: 'b' }],
    [
      'a pattern behind a reference under not',
      { properties: { x: { not: { $ref: '#/$defs/p' } } }, $defs: { p: { pattern: '^a' } } },
      { x: 'b' },
    ],
    [
      'one of two patterns',
      { properties: { x: { oneOf: [{ pattern: '^a' }, { pattern: '^b' }] } } },
      { x: 'b' },
    ],
    [
      'a condition on a pattern',
      JSON.parse('{"if":{"properties":{"x":{"pattern":"^a"}}},"then":{"required":["y"]}}'),
      { x: 'b' },
    ],
    [
      'names by pattern',
      { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
      { 'x-a': 'b' },
    ],
    [
      'names by pattern, and no others',
      { allOf: [{ patternProperties: { '^x-': {} } }], unevaluatedProperties: false },
      { 'x-a': 'b' },
    ],
    [
      'at most one that fits',
      { properties: { x: { contains: { pattern: '^a' }, maxContains: 1 } } },
      { x: ['b', 'c'] },
    ],
    [
      'uniqueness of very much',
      { properties: { x: { not: { uniqueItems: true } } } },
      { x: [...Array(3_000).keys(), 1] },
    ],
    ['a keyword of tomorrow', { properties: { x: { $dynamicRef: '#p', shape: 'round' } } }, { x: 1 }],
  ])('%s', (_what, schema, args) => {
    expect(check({ type: 'object', ...schema }, args)).toEqual(nothing)
    expect(lines).toEqual([])
  })

  test('the rest of such a schema is checked', () => {
    const schema = {
      type: 'object',
      properties: {
        x: { type: 'string', pattern: '^a' },
        y: { oneOf: [{ type: 'number' }, { const: 'z' }] },
      },
    }
    expect(check(schema, { x: 1 })).toMatchObject([{ path: 'body.x' }])
    expect(check(schema, { y: 'q' })).not.toEqual([])
    expect(check(schema, { y: 'z' })).toEqual([])
  })
})

describe('schemas of a hostile server', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )
  const evil = { pattern: '^(a+)+$' }
  const victim = { x: `${'a'.repeat(40)}!` }

  test.each<[string, unknown, unknown]>([
    ['an expression that never ends', { properties: { x: evil } }, victim],
    ['one for names', { patternProperties: { '^(a+)+$': true } }, { [victim.x]: 1 }],
    [
      'one behind a reference to a keyword nobody knows',
      { properties: { x: { $ref: '#/hidden' } }, hidden: evil },
      victim,
    ],
    [
      'one behind a reference to a default',
      { properties: { x: { $ref: '#/default' } }, default: evil },
      victim,
    ],
    [
      'one behind a reference to a constant',
      { properties: { x: { $ref: '#/enum/0' } }, enum: [evil, victim] },
      victim,
    ],
    [
      'one behind a reference to names',
      { properties: { x: { $ref: '#/dependentRequired/y' } }, dependentRequired: { y: evil } },
      victim,
    ],
    [
      'one behind an anchor in an unknown place',
      { properties: { x: { $ref: '#e' } }, examples: [{ $anchor: 'e', ...evil }] },
      victim,
    ],
    [
      'one that is named as known',
      { properties: { x: { __absolute_ref__: '#/x', $ref: '#/x' } }, x: evil },
      victim,
    ],
    ['references that double without end', { $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } }, {}],
    ['a reference to itself', { $ref: '#' }, {}],
    [
      'references in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      {},
    ],
    [
      'a tree that doubles with each level',
      {
        $defs: {
          n: {
            allOf: [
              { properties: { x: { $ref: '#/$defs/n' } } },
              { properties: { x: { $ref: '#/$defs/n' } } },
            ],
          },
        },
        $ref: '#/$defs/n',
      },
      Array.from({ length: 50 }).reduce((inner) => ({ x: inner }), {}),
    ],
    ['a reference to the network', { $ref: 'http://127.0.0.1:9/schema.json' }, {}],
    ['a reference to a file', { properties: { x: { $ref: 'file:///etc/passwd' } } }, victim],
    ['a reference to nothing', { properties: { x: { $ref: '#/$defs/none' } } }, victim],
    ['an id that is none', { $id: 'http://[', properties: { x: { type: 'string' } } }, victim],
    ['the same id twice', { properties: { x: { $id: 'http://a/' }, y: { $id: 'http://a/' } } }, victim],
    ['a dialect nobody knows', { $schema: 'http://evil.example/dialect' }, {}],
    ['depth', JSON.parse(`${'{"not":'.repeat(100)}{}${'}'.repeat(100)}`), {}],
    [
      'breadth',
      { properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, {}])) },
      {},
    ],
    ['no schema at all', null, {}],
    ['a text for a schema', 'object', {}],
    ['a list for a schema', [{ type: 'string' }], {}],
    [
      'values of the wrong types',
      { type: 7, required: 'x', enum: {}, minLength: 'a', properties: 3, items: 'x' },
      victim,
    ],
    [
      'names of prototypes',
      { properties: JSON.parse('{"__proto__":{},"constructor":{"type":"object"}}'), required: ['toString'] },
      { toString: 1 },
    ],
    [
      'uniqueness of very much',
      { properties: { x: { uniqueItems: true } } },
      { x: [...Array(100_000).keys()] },
    ],
  ])('%s: nothing hangs, nothing is refused', (_what, schema, args) => {
    expect(check(schema, args)).toEqual([])
  })

  test('a schema that cannot be checked is told of once', () => {
    const [entry] = catalogOf({
      one: [{ ...tool('a'), inputSchema: { type: 'object', $ref: '#/$defs/none' } }],
    }).tools()
    if (!entry) throw new Error('the tool is not listed')
    const checkArguments = createArgumentCheck({ logger })
    for (let count = 0; count < 3; count += 1) expect(checkArguments(entry, { x: count })).toEqual([])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('one:a')
  })

  test('no more schemas are kept than the bound', () => {
    const checkArguments = createArgumentCheck({ logger, maxSchemas: 2 })
    const inputSchema = { type: 'object' as const, $schema: 'http://evil.example/dialect' }
    const entries = catalogOf({
      one: ['a', 'b', 'c'].map((name) => ({ ...tool(name), inputSchema })),
    }).tools()
    for (const entry of [...entries, ...entries.slice(2), ...entries.slice(0, 1)]) checkArguments(entry, {})
    // The first was forgotten for the third, and is told of again.
    expect(lines.map((line) => JSON.parse(line).tool)).toEqual(['one:a', 'one:b', 'one:c', 'one:a'])
  })
})
