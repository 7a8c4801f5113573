import { expect, test } from 'vitest'
import { parseUriTemplate } from './uri-template.ts'

test.each([
  ['file:///{name}', 'file:///a.txt', true],
  ['file:///{name}', 'file:///a/b.txt', false],
  ['file:///{name}', 'file:///', false],
  ['file:///{name}', 'file:///a?b', false],
  ['file:///{+path}', 'file:///a/b.txt', true],
  ['file:///{path*}', 'file:///a,b', true],
  ['file:///{a}-{b}', 'file:///1-2-3', true],
  ['file:///{a}-{b}', 'file:///12', false],
  ['{+any}', 'x://y', true],
  ['{+a}x{b}/z', '1x2/3x4/z', true],
  ['repo://{owner}/{name}/issues', 'repo://o/n/issues', true],
  ['repo://{owner}/{name}/issues', 'repo://o/n/pulls', false],
  ['repo://{owner}/{name}/issues', 'repo://o/n/issues/7', false],
  ['db://t{/row}', 'db://t', true],
  ['db://t{/row}', 'db://t/1', true],
  ['db://t{/row}', 'db://t/1/2', false],
  ['db://t{/row*}', 'db://t/1/2', true],
  ['db://t{?q,limit}', 'db://t?q=a/b&limit=1', true],
  ['db://t{?q}', 'db://tq', false],
  ['db://t{#part}', 'db://t#x', true],
  ['a.b{.ext}', 'a.b.c', true],
  ['plain://x', 'plain://x', true],
  ['plain://x', 'plain://xy', false],
  // Other people's expressions are letters here.
  ['a(b+)+{x}', 'abbb1', false],
  ['a.c/{x}', 'abc/1', false],
])('%j with %j: %s', (template, uri, expected) => {
  expect(parseUriTemplate(template)?.matches(uri)).toBe(expected)
})

test.each([
  ['one that is not closed', 'a{b'],
  ['one without a name', 'a{}'],
  ['a brace', '{'],
  ['one with too many variables', '{x}'.repeat(33)],
  ['one without an end', 'x'.repeat(3_000)],
])('%s is no template', (_what, template) => {
  expect(parseUriTemplate(template)).toBeUndefined()
})

test('templates that make expressions hang come to an end', () => {
  const long = `x://${'a,'.repeat(2_000)}`
  expect(parseUriTemplate(`x://${'{a*}'.repeat(32)}!`)?.matches(long)).toBe(false)
  expect(parseUriTemplate(`${'{+a}a'.repeat(32)}!`)?.matches(long)).toBe(false)
  expect(parseUriTemplate('x://{+a}')?.matches(`x://${'a'.repeat(100_000)}`)).toBe(false)
})
