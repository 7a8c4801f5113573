import { describe, expect, test } from 'vitest'
import { allowsUri } from './allows-uri.ts'
import type { View } from './composed-catalog.ts'
import { matchesAnyGlob } from './glob.ts'

function viewOf(...patterns: string[]): View {
  const allows = (id: string) => matchesAnyGlob(patterns, id)
  return { key: patterns.join(), allowsTool: ({ id }) => allows(id), allows }
}

const narrow = viewOf('files:file:///public/*', 'files:note:*', 'files:x://{+p}*', 'other:*')

test.each([
  'file:///public/a',
  'file:///public/',
  'file:///public/a..b/c',
  'file:///public/.../c',
  'file:///public/.hidden',
  'file:///public/a..',
  'file:///public/..a',
  'file:///public/{+path}',
  'x://{+p}',
  'note:1?range=1..2',
])('%j fits its pattern', (uri) => {
  expect(allowsUri(narrow, 'files', uri)).toBe(true)
})

describe.each([
  'file:///public/../etc/passwd',
  'file:///public/..',
  'file:///public/a/../../b',
  'file:///public/..\\b',
  'file:///public/\\..\\b',
  'file:///public/%2e%2e/b',
  'file:///public/.%2E/b',
  'file:///public/..%2fb',
  'file:///public/a%5C..%5cb',
  'file:///public/%252e%252e/b',
  'file:///public/%2525252e.%25252fb',
  'file:///public/.\t./b',
  'file:///public/.\n\r./b',
  'file:///public/.. ',
  'file:///public/..\u0001',
  'file:///public/..?a',
  'file:///public/..#a',
  'file:///public/..;a/b',
  'note:../b',
  'note:a?path=../b',
  'note:a?path%3d..%26b',
])('%j', (uri) => {
  test('does not lead out of a pattern', () => {
    expect(narrow.allows(`files:${uri}`)).toBe(true)
    expect(allowsUri(narrow, 'files', uri)).toBe(false)
  })

  test.each(['*', '*:*', 'files:*', 'f*'])('is for whom %s is open', (pattern) => {
    expect(allowsUri(viewOf(pattern), 'files', uri)).toBe(true)
  })
})

test('what no pattern names is not allowed', () => {
  for (const uri of ['file:///etc', '', 'files:file:///public/a', ' file:///public/a', 'FILE:///public/a'])
    expect(allowsUri(narrow, 'files', uri)).toBe(false)
  expect(allowsUri(narrow, 'FILES', 'file:///public/a')).toBe(false)
})

test('a long address is looked through in one go', () => {
  const uris = [
    `%${'25'.repeat(200_000)}`,
    '/%25'.repeat(100_000),
    '..%2'.repeat(100_000),
    '/.'.repeat(200_000),
  ]
  for (const uri of uris) expect(allowsUri(narrow, 'files', `file:///public/${uri}`)).toBe(true)
})
