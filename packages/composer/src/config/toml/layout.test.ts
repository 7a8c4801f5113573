import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { valueAt } from '../server-entries.ts'
import { type LayoutNode, layoutOf } from './layout.ts'
import { createLocator } from './locate.ts'

const TEXT = `\ufeff# a comment with = and "quotes" and [brackets]
title = "a \\"quoted\\" # hash" # behind it
'literal key' = 'C:\\path' # "
"esc\\u0061ped" = 1
dotted . "two" = [1, 2.5, "x]y", [true, { a = "}", b.c = -7 }], # inside
  # alone
  1979-05-27 07:32:00, ]
long = """
# not a comment
[not.a.header] ""quotes"" \\""" end"""
literal = '''
it's "all" here'''''
date = 1979-05-27 07:32:00.5-07:00
time=07:32:00
float = -1_000.5e-3

[table] # header comment
key = { inline = true, list = ["a", 'b'] }
[table.sub]
x = 0xff
[[list]]
n = 1
[list.sub]
deep = """one\\
   two"""
[[list.items]]
a = 1
[[list.items]]
a = 2
[[list]]
n = 2
[[list.items]]
a = 3
[ spaced . "out" ]
y = +1`

test('every value is where the layout says, and every value is in the layout', () => {
  const document: unknown = parse(TEXT)
  const nodes = layoutOf(TEXT).sections.flatMap((section) => section.nodes.flatMap(withChildren))
  for (const { path, value, kind } of nodes) {
    const written = TEXT.slice(value.start, value.end)
    const expected = valueAt(document, path)
    expect(expected, path.join('.')).toBeDefined()
    expect(valueAt(parse(`v = ${written}`), ['v']), path.join('.')).toEqual(expected)
    expect(kind === 'scalar').toBe(typeof expected !== 'object' || expected instanceof Date)
  }
  expect(nodes.filter(({ kind }) => kind === 'scalar')).toHaveLength(scalarsIn(document))
})

test('only comments are comments', () => {
  const { comments } = layoutOf(TEXT)
  expect(comments.map(({ start, end }) => TEXT.slice(start, end))).toEqual([
    '# a comment with = and "quotes" and [brackets]',
    '# behind it',
    '# "',
    '# inside',
    '# alone',
    '# header comment',
  ])
})

test('lines may end as they do on Windows', () => {
  const text = '# one\r\n[a]\r\nb = "x" # two\r\nc = [\r\n  1, # three\r\n]\r\n'
  const { sections, comments } = layoutOf(text)
  expect(comments.map(({ start, end }) => text.slice(start, end))).toEqual(['# one', '# two', '# three'])
  expect(sections[1]?.nodes.map(({ value }) => text.slice(value.start, value.end))).toEqual([
    '"x"',
    '[\r\n  1, # three\r\n]',
  ])
})

test.each([
  [['title'], '2:1'],
  [['dotted', 'two', 3, 1, 'b', 'c'], '5:52'],
  [['dotted'], '5:1'],
  [['table'], '17:1'],
  [['table', 'key', 'list', 1], '18:37'],
  [['list'], '21:1'],
  [['list', 1, 'items', 0, 'a'], '33:1'],
  [['list', 1, 'missing'], '30:1'],
  [['spaced', 'out', 'y'], '35:1'],
  [['nowhere'], '1:1'],
])('%j is at %s', (path, place) => {
  const { line, column } = createLocator(TEXT, layoutOf(TEXT)).of(path)
  expect(`${line}:${column}`).toBe(place)
})

function withChildren(node: LayoutNode): readonly LayoutNode[] {
  return [node, ...node.children.flatMap(withChildren)]
}

function scalarsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Date) return 1
  return Object.values(value).reduce<number>((sum, item) => sum + scalarsIn(item), 0)
}
