import { describe, expect, test } from 'vitest'
import { createOriginGuard } from './origin.ts'

const isAllowed = createOriginGuard(['https://app.example.org', 'http://intranet:8080'])

describe('the Origin guard', () => {
  test.each([
    ['http://localhost', 'localhost:7878'],
    ['http://localhost:3000', 'localhost:7878'],
    ['https://127.0.0.1:7878', 'localhost:7878'],
    ['http://[::1]:5173', 'localhost'],
    ['https://app.example.org', 'localhost'],
    ['https://app.example.org:443', 'localhost'],
    ['HTTPS://APP.EXAMPLE.ORG', 'localhost'],
    ['http://intranet:8080', 'localhost'],
    ['http://notebooks.example.org:7878', 'notebooks.example.org:7878'],
  ])('lets %j pass at the host %j', (origin, host) => {
    expect(isAllowed([origin], host)).toBe(true)
  })

  test.each([
    ['an empty one', ['']],
    ['null, as a sandboxed frame sends it', ['null']],
    ['a foreign one', ['https://evil.example']],
    ['two', ['http://localhost', 'http://localhost']],
    ['a list', ['http://localhost http://evil.example']],
    ['another scheme', ['http://app.example.org']],
    ['another port', ['https://app.example.org:8443']],
    ['a subdomain', ['https://x.app.example.org']],
    ['our name as a prefix', ['http://localhost.evil.example']],
    ['our name as userinfo', ['http://localhost@evil.example']],
    ['a path', ['http://localhost/']],
    ['a scheme we do not know', ['file://localhost']],
    ['an extension', ['chrome-extension://abcdefgh']],
    ['a name without scheme', ['localhost']],
    ['a backslash', ['http:\\\\localhost']],
    ['a blank', ['http://local host']],
    ['an address in another notation', ['http://0x7f000001']],
    ['very much text', [`http://${'a'.repeat(100_000)}`]],
  ])('refuses %s', (_what, origins) => {
    expect(isAllowed(origins, 'localhost:7878')).toBe(false)
  })

  test.each([['*'], ['app.example.org'], ['https://app.example.org/path'], ['null'], ['']])(
    'will not be built with %j',
    (entry) => {
      expect(() => createOriginGuard([entry])).toThrow(/is not an origin/)
    },
  )
})
