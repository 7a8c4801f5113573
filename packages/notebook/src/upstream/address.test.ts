import { describe, expect, test } from 'vitest'
import { ToolError } from '../tool-error.ts'
import { parseAddress, parseServerPath, showUrl, toUrl } from './address.ts'

describe('the address of a server', () => {
  test.each([
    ['http://localhost:8888', 'http://localhost:8888'],
    ['http://localhost:8888/', 'http://localhost:8888'],
    ['https://hub.example.org/user/ada', 'https://hub.example.org/user/ada'],
    ['https://hub.example.org/user/ada/', 'https://hub.example.org/user/ada'],
    ['https://hub.example.org/user/ada%40example.org', 'https://hub.example.org/user/ada%40example.org'],
    ['HTTP://LOCALHOST:80/x', 'http://localhost/x'],
    ['http://[::1]:8888/lab-1/', 'http://[::1]:8888/lab-1'],
  ])('%s is kept with its prefix and without a slash', (text, expected) => {
    expect(parseAddress(text)).toBe(expected)
  })

  test.each([
    ['', 'http://'],
    ['localhost:8888', 'http://'],
    ['127.0.0.1:8888', 'http://'],
    ['ftp://localhost', 'http://'],
    ['file:///etc/passwd', 'http://'],
    ['ws://localhost:8888', 'http://'],
    ['javascript:alert(1)', 'http://'],
    ['http://', 'http://'],
    ['http://localhost:99999', 'http://'],
    ['http://ada:s3cr3t-word@localhost:8888', 'in its own setting'],
    ['http://s3cr3t-word@localhost:8888', 'in its own setting'],
    ['http://localhost:8888/?token=s3cr3t-word', 'token in its own setting'],
    ['http://localhost:8888/lab?a=1&token=s3cr3t-word', 'token in its own setting'],
    ['http://localhost:8888/?', 'query'],
    ['http://localhost:8888/?next=/s3cr3t-word', 'query'],
    ['http://localhost:8888/#token=s3cr3t-word', 'fragment'],
    [' http://localhost:8888', 'spaces'],
    ['http://local\thost:8888', 'control characters'],
    ['http://localhost:8888/\n', 'control characters'],
    ['http://localhost:8888\\@evil.example.org', 'backslashes'],
    ['http://localhost:8888//user/ada', 'segments'],
    ['http://localhost:8888/user//', 'segments'],
    ['http://localhost:8888/user%2fada', 'segments'],
    ['http://localhost:8888/user%5cada', 'segments'],
    ['http://localhost:8888/%00', 'segments'],
  ])('%j is refused', (text, expected) => {
    const refuse = () => parseAddress(text)
    expect(refuse).toThrow(ToolError)
    expect(refuse).toThrow(expected)
    expect(refuse).not.toThrow('s3cr3t-word')
  })
})

describe('a URL of the server', () => {
  test.each([
    [['api', 'contents'], 'http://h/p/api/contents'],
    [[], 'http://h/p/'],
    [['a b', 'ü.ipynb'], 'http://h/p/a%20b/%C3%BC.ipynb'],
    [['50%', 'a?b#c', 'x&y=z;v'], 'http://h/p/50%25/a%3Fb%23c/x%26y%3Dz%3Bv'],
    [['%2e%2e', '%2f'], 'http://h/p/%252e%252e/%252f'],
    [['...', '.hidden', 'a..b'], 'http://h/p/.../.hidden/a..b'],
    [['json:notebook:1'], 'http://h/p/json%3Anotebook%3A1'],
    [['@evil.example.org', 'http:'], 'http://h/p/%40evil.example.org/http%3A'],
  ])('keeps %j as they are', (segments, expected) => {
    expect(toUrl('http://h/p', segments).href).toBe(expected)
  })

  test('has its query encoded', () => {
    expect(toUrl('http://h', ['x'], { a: '1&b=2', c: 'ü #' }).href).toBe(
      'http://h/x?a=1%26b%3D2&c=%C3%BC+%23',
    )
  })

  test('is shown without its query, and not endlessly', () => {
    expect(showUrl(new URL('http://h/x?token=s3cr3t-word'))).toBe('http://h/x')
    expect(showUrl(new URL(`http://h/${'x'.repeat(5_000)}`)).length).toBeLessThan(310)
  })
})

const HOSTILE = [
  '..',
  '.',
  '../secret',
  'a/../b',
  'a/./b',
  'a/..',
  '/a',
  'a/',
  'a//b',
  '/',
  'a\\b',
  '..\\secret',
  'a\0b',
  'a\nb',
  'a\u0085b',
  '\ud800',
]

test.each(HOSTILE)('the path %j is refused', (path) => {
  expect(() => parseServerPath(path)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
})

test.each([...HOSTILE.slice(0, -3), 'a/b', '', 'x\r\nhost: evil'])('the segment %j is refused', (segment) => {
  expect(() => toUrl('http://h', ['api', segment])).toThrow(ToolError)
})

test('a path is split at its slashes', () => {
  expect(parseServerPath('')).toEqual([])
  expect(parseServerPath('a b/ü/x.ipynb')).toEqual(['a b', 'ü', 'x.ipynb'])
})
