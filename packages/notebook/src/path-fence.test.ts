import { describe, expect, test } from 'vitest'
import { createRandom, pick, randomText } from './outputs/random-text.fixture.ts'
import { createPathFence } from './path-fence.ts'
import { ToolError } from './tool-error.ts'

const open = createPathFence([])

function errorOf(run: () => unknown): ToolError {
  try {
    run()
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the shape of a path', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['a.ipynb', 'a.ipynb'],
    ['/a/b.ipynb', 'a/b.ipynb'],
    ['a/b/', 'a/b'],
    ['/a/', 'a'],
    ['.', ''],
    ['./', ''],
    ['/.', ''],
    ['././', ''],
    ['./a.ipynb', 'a.ipynb'],
    ['/./a.ipynb', 'a.ipynb'],
    ['a/./b', 'a/b'],
    ['a/././b/.', 'a/b'],
    ['a/./', 'a'],
    ['./.hidden', '.hidden'],
    ['100%.ipynb', '100%.ipynb'],
    ['100%', '100%'],
    ['50%25.ipynb', '50%25.ipynb'],
    ['%25'.repeat(60), '%25'.repeat(60)],
    ['a%20b/c%zz.ipynb', 'a%20b/c%zz.ipynb'],
    ['%C3%A9.ipynb', '%C3%A9.ipynb'],
    ['a b/ä ö.ipynb', 'a b/ä ö.ipynb'],
    ['笔记本/😀.ipynb', '笔记本/😀.ipynb'],
    ['.hidden/x', '.hidden/x'],
    ['..a/b../c..d/.e', '..a/b../c..d/.e'],
    ['a~b/~c', 'a~b/~c'],
    ['10:30 notes.ipynb', '10:30 notes.ipynb'],
    ['notes: a.ipynb', 'notes: a.ipynb'],
    ['what?#1;2&3.ipynb', 'what?#1;2&3.ipynb'],
    ['it\'s "quoted".ipynb', 'it\'s "quoted".ipynb'],
    ['👨‍👩‍👧.ipynb', '👨‍👩‍👧.ipynb'],
    [`${'a'.repeat(255)}/b`, `${'a'.repeat(255)}/b`],
    ['e\u0301.ipynb', 'e\u0301.ipynb'],
  ])('%j passes as %j', (path, expected) => {
    expect(open.check(path)).toBe(expected)
    expect(open.checkFolder(path)).toBe(expected)
  })

  test.each([
    ['..', 'goes up, or holds a name of dots'],
    ['/..', 'dots'],
    ['./..', 'dots'],
    ['.././x', 'dots'],
    ['a/./../b', 'dots'],
    ['. ', 'dots'],
    [' .', 'dots'],
    ['.. ', 'dots'],
    ['...', 'dots'],
    ['../x', 'dots'],
    ['a/../b', 'dots'],
    ['a/..', 'dots'],
    ['a/../', 'dots'],
    ['a/.. /b', 'dots'],
    ['a/. ./b', 'dots'],
    ['a/.../b', 'dots'],
    ['a/ /b', 'dots'],
    ['//', 'empty segment'],
    ['///', 'empty segment'],
    ['//host/share', 'empty segment'],
    ['a//b', 'empty segment'],
    ['a//', 'empty segment'],
    ['.//', 'empty segment'],
    ['//.', 'empty segment'],
    ['.//x', 'empty segment'],
    ['a/.//b', 'empty segment'],
    ['a//./b', 'empty segment'],
    ['a\\b', 'backslash'],
    ['..\\..\\x', 'backslash'],
    ['\\\\host\\share', 'backslash'],
    ['a\u0000.ipynb', 'control'],
    ['a\nb', 'control'],
    ['a\r\nX: y', 'control'],
    ['a\tb', 'control'],
    ['a\u007f', 'control'],
    ['a\u0085b', 'control'],
    ['a\u2028b', 'control'],
    ['a\u202egpj.ipynb', 'control'],
    ['a\u2066b\u2069', 'control'],
    ['\u200ea', 'control'],
    ['%2e%2e/x', 'percent-encoded'],
    ['.%2E/x', 'percent-encoded'],
    ['%2e/x', 'percent-encoded'],
    ['a%2fb', 'percent-encoded'],
    ['a%2Fb', 'percent-encoded'],
    ['..%2f..%2fetc/passwd', 'percent-encoded'],
    ['a%5cb', 'percent-encoded'],
    ['a%00.ipynb', 'percent-encoded'],
    ['a%0d%0ab', 'percent-encoded'],
    ['a%7f', 'percent-encoded'],
    ['%252e%252e/x', 'percent-encoded'],
    ['%25252525252e', 'percent-encoded'],
    ['%%32%65%%32%65/x', 'percent-encoded'],
    ['%2%65%2%65/x', 'percent-encoded'],
    ['%25%32%66', 'percent-encoded'],
    ['%c0%ae%c0%ae/x', 'percent-encoded'],
    ['a%c0%afb', 'percent-encoded'],
    ['%e0%80%ae', 'percent-encoded'],
    ['%f0%80%80%ae', 'percent-encoded'],
    ['%25c0%25ae', 'percent-encoded'],
    ['%u002e%u002e/x', 'percent-encoded'],
    ['~', 'home folder'],
    ['~/x', 'home folder'],
    ['~root/x', 'home folder'],
    ['/~/x', 'home folder'],
    ['./~', 'home folder'],
    ['././~root/x', 'home folder'],
    ['C:', 'drive'],
    ['C:/x', 'drive'],
    ['/c:x', 'drive'],
    ['./C:/x', 'drive'],
    ['file:x', 'URL'],
    ['FILE:///etc/passwd', 'URL'],
    ['http://example.org/x', 'URL'],
    ['https:x', 'URL'],
    ['javascript:alert(1)', 'URL'],
    ['smb://host/x', 'URL'],
    ['./file:x', 'URL'],
    ['smb:/./host/x', 'URL'],
    ['a\ud800', 'half a character'],
    ['\udc00a', 'half a character'],
    ['a/'.repeat(513), 'longer'],
    ['a'.repeat(256), '255 bytes'],
    ['é'.repeat(128), '255 bytes'],
  ])('%j is refused: %s', (path, reason) => {
    const error = errorOf(() => open.check(path))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toContain(reason)
    expect(error.message).toMatch(/^The path ".*" .+\. Name it relative to /)
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u202e\u2066]/u)
    expect(error.message.length).toBeLessThan(400)
    expect(errorOf(() => open.checkFolder(path)).code).toBe('invalid_argument')
    expect(() => createPathFence([path])).toThrow(ToolError)
  })
})

describe('the fence', () => {
  const fence = createPathFence(['data', '/reports/2024/', 'notes/a.ipynb'])

  test.each([
    'data',
    '/data/',
    'data/x.ipynb',
    'data/deep/er/x.ipynb',
    'reports/2024',
    'reports/2024/x',
    'notes/a.ipynb',
  ])('%j is inside', (path) => {
    expect(fence.check(path)).toBe(path.replace(/^\/|\/$/g, ''))
    expect(fence.isVisible(fence.check(path))).toBe(true)
  })

  test.each([
    '',
    '/',
    'dat',
    'data2',
    'data.ipynb',
    'Data',
    'reports',
    'reports/2023/x',
    'reports/20245',
    'notes',
    'notes/b.ipynb',
    'notes/a.ipynb2',
    'other/data/x',
  ])('%j is outside, and the error names what is inside', (path) => {
    const error = errorOf(() => fence.check(path))
    expect(error.code).toBe('forbidden')
    expect(error.message).toBe(
      `The path ${JSON.stringify(path)} is outside of what may be used here. Use a path within "data", "/reports/2024/", "notes/a.ipynb".`,
    )
  })

  test('folders that lead inside can be listed, and show only what leads there', () => {
    expect(fence.checkFolder('/')).toBe('')
    expect(fence.checkFolder('reports/')).toBe('reports')
    expect(errorOf(() => fence.checkFolder('other')).code).toBe('forbidden')
    expect(errorOf(() => fence.checkFolder('reports/2023')).code).toBe('forbidden')
    const found = [
      'data',
      'reports',
      'reports/2023',
      'reports/2024',
      'notes',
      'notes/a.ipynb',
      'notes/b.ipynb',
      'other',
    ]
    expect(found.filter(fence.isVisible)).toEqual([
      'data',
      'reports',
      'reports/2024',
      'notes',
      'notes/a.ipynb',
    ])
    expect(fence.isVisible('')).toBe(true)
  })

  test('a way round by "." is no way out, and none in', () => {
    expect(fence.check('./data/./x')).toBe('data/x')
    expect(createPathFence(['./data/.']).check('data/x')).toBe('data/x')
    expect(errorOf(() => fence.check('.')).code).toBe('forbidden')
    expect(errorOf(() => fence.check('data./x')).code).toBe('forbidden')
    expect(errorOf(() => fence.check('./other')).code).toBe('forbidden')
  })

  test('without a fence everything is inside', () => {
    expect(open.check('anything')).toBe('anything')
    expect(open.isVisible('anything')).toBe(true)
  })

  test('the root as what is allowed is no fence', () => {
    expect(createPathFence(['/']).check('anything/at/all')).toBe('anything/at/all')
  })

  test('two ways to write a name are one name, and the path goes on as it was given', () => {
    const accented = createPathFence(['caf\u00e9'])
    expect(accented.check('cafe\u0301/x')).toBe('cafe\u0301/x')
    expect(createPathFence(['cafe\u0301']).check('caf\u00e9')).toBe('caf\u00e9')
    expect(accented.isVisible('cafe\u0301')).toBe(true)
  })

  test('a long list of what is allowed is shortened', () => {
    const many = createPathFence(Array.from({ length: 50 }, (_, n) => `folder${n}`))
    expect(errorOf(() => many.check('x')).message).toMatch(/"folder9" and 40 more\.$/)
  })
})

test('whatever passes is inside, however often it is decoded', () => {
  const random = createRandom(9)
  const fence = createPathFence(['data', 'a/b'])
  const pieces = [
    'data',
    'a',
    'b',
    '/',
    '/',
    '/',
    '.',
    '..',
    '\\',
    '%',
    '%2e',
    '%2f',
    '25',
    '2e',
    '%25',
    '%5c',
    '%00',
    '\u0000',
    '~',
    'C:',
    ' ',
    '\u202e',
  ] as const
  let passed = 0
  for (let round = 0; round < 15_000; round += 1) {
    const start = pick(random, ['', '', 'data/', 'a/b/', '/data/'])
    const path =
      start +
      Array.from({ length: random(5) }, () => pick(random, [...pieces, randomText(random, 2)])).join('')
    try {
      const checked = fence.check(path)
      passed += 1
      for (const text of decodings(checked)) {
        expect(text).toMatch(/^(data|a\/b)(\/|$)/)
        expect(text).not.toMatch(/\\|\/\/|(^|\/)\.{1,2}(\/|$)|\p{Cc}|\u202e/u)
      }
    } catch (error) {
      expect(error).toBeInstanceOf(ToolError)
    }
  }
  expect(passed).toBeGreaterThan(500)
})

/** The text and what becomes of it when it is decoded over and over. */
function decodings(text: string): string[] {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return decoded === text ? [text] : [text, ...decodings(decoded)]
}
