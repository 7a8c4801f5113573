import { expect, test } from 'vitest'
import { type CookieSession, createCookieSession } from './cookie-session.ts'

const url = new URL('http://notebooks.example.org/user/ada/api/status')

function absorb(session: CookieSession, setCookies: readonly string[]): void {
  session.absorb({ status: 200, location: undefined, text: '', setCookies }, url)
}

test('cookies go back as they came', async () => {
  const session = await createCookieSession()
  absorb(session, [
    'username-x="2|1:0|10:1|abc=="; HttpOnly; Path=/user/ada/',
    '_xsrf=2|a|b|1; Path=/user/ada/',
  ])
  expect(session.headers('GET', url)).toEqual({ cookie: 'username-x="2|1:0|10:1|abc=="; _xsrf=2|a|b|1' })
  expect(session.headers('DELETE', url)).toMatchObject({ 'x-xsrftoken': '2|a|b|1' })
})

test('the XSRF value of the nearest path counts', async () => {
  const session = await createCookieSession()
  absorb(session, ['_xsrf=of-the-hub; Path=/', '_xsrf=of-ada; Path=/user/ada/'])
  expect(session.xsrf(url)).toBe('of-ada')
})

test('there may be none', async () => {
  const session = await createCookieSession()
  expect(session.headers('POST', url)).toEqual({})
  expect(session.xsrf(url)).toBeUndefined()
})

test('a cookie that the server takes back is gone', async () => {
  const session = await createCookieSession()
  absorb(session, ['a=1; Path=/'])
  absorb(session, ['a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
  expect(session.headers('GET', url)).toEqual({})
})

test.each([
  'canary=1; Domain=com',
  'canary=1; Domain=evil.example',
  'canary=1; Domain=other.example.org',
  'canary=1; Secure',
  '__Host-canary=1; Path=/user',
  'canary=1; Path=/user/bob',
  'canary=1; Max-Age=0',
  'canary=a\u0001b',
  'canary=a\r\nx-evil: 1',
  '=canary',
  'canary',
  ';;;',
  '',
])('the cookie %j is not sent', async (cookie) => {
  const session = await createCookieSession()
  absorb(session, ['session=1; Path=/', cookie])
  const { cookie: sent = '' } = session.headers('GET', url)
  expect(sent).toContain('session=1')
  expect(sent).not.toMatch(/canary=a?1|a.b|evil|\n/)
})

test('no cookie is sent to another host', async () => {
  const session = await createCookieSession()
  absorb(session, ['session=1; Path=/', '_xsrf=1; Path=/'])
  for (const other of ['http://evil.example/', 'http://example.org/', 'http://x.notebooks.example.org/']) {
    expect(session.headers('POST', new URL(other))).toEqual({})
  }
})

test('a flood of cookies is not kept', async () => {
  const session = await createCookieSession()
  absorb(session, ['session=1; Path=/'])
  for (let round = 0; round < 20; round += 1) {
    absorb(
      session,
      Array.from({ length: 50 }, (_, index) => `c${round}-${index}=1; Path=/`),
    )
  }
  const cookies = session.headers('GET', url).cookie?.split('; ') ?? []
  expect(cookies).toHaveLength(64)
  expect(cookies).toContain('session=1')
  absorb(session, ['session=2; Path=/'])
  expect(session.headers('GET', url).cookie).toContain('session=2')
})
