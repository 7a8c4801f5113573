import { describe, expect, test } from 'vitest'
import { createHostGuard, isLoopbackHost, LOOPBACK_HOSTS } from './host.ts'

const isAllowed = createHostGuard([...LOOPBACK_HOSTS, 'notebooks.example.org', '2001:db8::1'])

describe('the Host guard', () => {
  test.each([
    ['localhost'],
    ['localhost:7878'],
    ['LOCALHOST'],
    ['127.0.0.1'],
    ['127.0.0.1:80'],
    ['[::1]'],
    ['[::1]:65535'],
    ['Notebooks.Example.org:443'],
    ['[2001:db8::1]:8080'],
  ])('lets %j pass', (host) => {
    expect(isAllowed([host])).toBe(true)
  })

  test.each([
    ['nothing at all', []],
    ['an empty one', ['']],
    ['two, both good', ['localhost', 'localhost']],
    ['two, the second foreign', ['localhost', 'evil.example']],
    ['a list in one header', ['localhost, evil.example']],
    ['a foreign name', ['evil.example']],
    ['a name that only begins like ours', ['localhost.evil.example']],
    ['a name that only ends like ours', ['evil-localhost']],
    ['userinfo', ['evil.example@localhost']],
    ['a path', ['localhost/x?y']],
    ['a fragment', ['localhost#.evil.example']],
    ['a backslash', ['localhost\\.evil.example']],
    ['percent-encoding', ['%6cocalhost']],
    ['a tab inside', ['loca\tlhost']],
    ['blanks around', [' localhost ']],
    ['a hexadecimal address', ['0x7f000001']],
    ['a decimal address', ['2130706433']],
    ['a short address', ['127.1']],
    ['an octal address', ['0177.0.0.1']],
    ['the unspecified address', ['0.0.0.0']],
    ['loopback in another spelling', ['[0:0:0:0:0:0:0:1]']],
    ['IPv4 inside IPv6', ['[::ffff:127.0.0.1]']],
    ['brackets missing', ['::1']],
    ['a trailing dot', ['localhost.']],
    ['a wide letter', ['ｌocalhost']],
    ['a port that is no number', ['localhost:80a']],
    ['a port that is none', ['localhost:']],
    ['a port out of range', ['localhost:65536']],
    ['a scheme', ['http://localhost']],
    ['NUL', ['localhost\0']],
    ['a line break', ['localhost\r\nX: y']],
    ['very much text', ['a'.repeat(100_000)]],
    ['very many labels', ['a.'.repeat(50_000)]],
  ])('refuses %s', (_what, hosts) => {
    expect(isAllowed(hosts)).toBe(false)
  })

  test.each([['http://example.org'], ['example.org/path'], ['*'], ['']])(
    'will not be built with %j',
    (entry) => {
      expect(() => createHostGuard([entry])).toThrow(/is not a host name/)
    },
  )
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['[::1]', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.2', false],
  ['127.0.0.1.example.org', false],
])('a bind to %s is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected)
})
