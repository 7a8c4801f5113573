import { describe, expect, test } from 'vitest'
import { faultInPath } from './path.ts'

describe('the shape of a path', () => {
  test.each([
    ['/'],
    ['/teams'],
    ['/teams/'],
    ['/teams/a-b_c.d~e'],
    ['/teams?limit=5&next=//x;y\\'],
    ['/files/100%25.ipynb'],
    ['/files/a%20b.ipynb'],
    ['/files/%C3%A9.ipynb'],
    ['/files/a%252fb'],
    ['/files/...'],
    ['/files/..a/b..'],
    ['/.well-known/oauth-protected-resource'],
    ['/tools/server:tool'],
  ])('accepts %j', (target) => {
    expect(faultInPath(target)).toBeUndefined()
  })

  test.each([
    ['', 'nothing'],
    ['*', 'the asterisk form'],
    ['api/stop', 'no leading slash'],
    ['http://localhost/api/stop', 'the absolute form'],
    ['localhost:80', 'the authority form'],
    ['//api/stop', 'an empty segment in front'],
    ['/api//stop', 'an empty segment'],
    ['/api/stop//', 'empty segments at the end'],
    ['/api/./stop', 'a dot segment'],
    ['/api/../stop', 'two dots'],
    ['/api/..', 'two dots at the end'],
    ['/api/%2e%2e/stop', 'encoded dots'],
    ['/api/.%2E/stop', 'half-encoded dots'],
    ['/api%2fstop', 'an encoded slash'],
    ['/api%2Fstop', 'an encoded slash, upper case'],
    ['/api%5cstop', 'an encoded backslash'],
    ['/api\\stop', 'a backslash'],
    ['/api;x=1/stop', 'a path parameter'],
    ['/api%00', 'an encoded NUL'],
    ['/api%0d%0aSet-Cookie:x', 'an encoded line break'],
    ['/api%7f', 'an encoded control character'],
    ['/api%', 'half an escape'],
    ['/api%zz', 'no escape at all'],
    ['/api%ff', 'bytes that are no UTF-8'],
    ['/api%c0%ae%c0%ae/stop', 'overlong dots'],
    ['/api stop', 'a blank'],
    ['/api\tstop', 'a tab'],
    ['/api#x', 'a fragment'],
    ['/é', 'a letter beyond ASCII'],
    ['/api\u0000', 'NUL'],
    [`/${'a'.repeat(9_000)}`, 'more than we read'],
  ])('refuses %j: %s', (target) => {
    expect(faultInPath(target)).toMatch(/^The (path|request target) /)
  })

  test('an encoded slash passes only where a route says so, a backslash nowhere', () => {
    expect(faultInPath('/tools/server:a%2Fb', true)).toBeUndefined()
    expect(faultInPath('/tools/server:a%2Fb')).toMatch(/encoded slash/)
    expect(faultInPath('/tools/a%5Cb', true)).toMatch(/encoded slash or backslash/)
    expect(faultInPath('/tools/..%2Fb', true)).toMatch(/segment/)
  })
})
