import { describe, expect, test } from 'vitest'
import { createRedactor, MASK } from './redact.ts'

const CANARY = 'c4nary-S3cret"with\\quote'
const PLAIN = 'zq81mPlainCanary77'

describe('a registered secret', () => {
  const redactor = createRedactor({ secrets: [CANARY, PLAIN] })
  test.each([
    ['alone', PLAIN],
    ['inside a sentence', `the server said ${PLAIN}, twice: ${PLAIN}`],
    ['inside JSON', JSON.stringify({ note: CANARY })],
    ['inside JSON inside JSON', JSON.stringify({ body: JSON.stringify({ note: CANARY }) })],
    ['inside a path', `https://host/${encodeURIComponent(CANARY)}/x`],
    ['raw', `>${CANARY}<`],
  ])('%s', (_where, text) => {
    const masked = redactor.text(text)
    expect(masked).toContain(MASK)
    expect(masked).not.toMatch(/c4nary|S3cret|zq81m|Canary77/)
  })

  test('added later is masked from then on', () => {
    const later = createRedactor()
    expect(later.text('x later-secret y')).toBe('x later-secret y')
    later.add('later-secret')
    expect(later.text('x later-secret y')).toBe(`x ${MASK} y`)
  })

  test.each(['', 'a', 'abc', 'admin', '  no  '])('trivially short %j masks nothing', (secret) => {
    const redactor = createRedactor({ secrets: [secret] })
    expect(redactor.text('an admin says no to abc')).toBe('an admin says no to abc')
  })

  test('the longer of two that overlap goes whole', () => {
    const redactor = createRedactor({ secrets: ['prefix-0001', 'prefix-0001-and-more'] })
    expect(redactor.text('prefix-0001-and-more')).toBe(MASK)
  })

  test('renewed secrets do not grow without bound and never push out configured ones', () => {
    const redactor = createRedactor({ secrets: ['configured-secret'] })
    for (let index = 0; index < 2_000; index += 1) redactor.add(`renewed-secret-${index};`)
    expect(redactor.text('configured-secret')).toBe(MASK)
    expect(redactor.text('renewed-secret-1999;')).toBe(MASK)
    expect(redactor.text('renewed-secret-3;')).toBe('renewed-secret-3;')
  })
})

describe('what looks like a secret in a text', () => {
  const { text } = createRedactor()
  test.each([
    'postgres://quire:hunter22canary@db.local:5432/quire',
    'https://canary@github.com/x',
    'sub-protocols quire.v1, quire.bearer.canarycanary',
    'the token quire_canary-0123456789abcdefghijklmnop is here',
    'GET /api?token=canary&page=2',
    'GET /api?page=2&access_token=canary',
    'https://maps.example/x?key=canary',
    'callback?code=canary',
    'https://s3.example/x?X-Amz-Signature=canary',
    'QUIRE_TOKEN=canary node server',
    'OPENAI_API_KEY=canary',
    '{"password":"canary"}',
    '{"password": "can\\"ary canary"}',
    '{"apiKey":"canary","a":1}',
    '{"body":"{\\"client_secret\\":\\"canary\\"}"}',
    '{"body":"{\\"client_secret\\": \\"a\\\\\\"canary\\"}"}',
    'Authorization: Bearer canary',
    'authorization: token canary',
    'proxy-authorization=Basic canary',
    '{"authorization":"Bearer canary"}',
    'upstream refused Bearer canary12345',
    'used Basic Y2FuYXJ5OmNhbmFyeQ1==canary',
    'Cookie: _xsrf=canary; username-8888=canary',
    'set-cookie: session=canary; Path=/; HttpOnly',
    'X-API-Key: canary',
    'X-XSRFToken: canary',
    '_xsrf=canary',
  ])('%s', (line) => {
    expect(text(line)).not.toContain('canary')
    expect(text(line)).toContain(MASK)
  })

  test.each([
    'requires bearer authentication and a token verifier',
    'WWW-Authenticate: Bearer realm="quire", error="invalid_token"',
    'set QUIRE_TOKEN or --mcp-token',
    'max_tokens=4096 and page=2',
    'http://localhost:8888/lab?path=a.ipynb',
    'the cookie: none was sent',
    'mail a@b.example about it',
    '{"inputTokens": 12, "title": "secret garden"}',
  ])('stays readable: %s', (line) => {
    expect(text(line)).toBe(line)
  })
})

describe('a long text', () => {
  test('is cut, and never through a secret', () => {
    const redactor = createRedactor({ secrets: [PLAIN] })
    for (let offset = 0; offset <= PLAIN.length + 2; offset += 1) {
      const cut = redactor.text(`${'x'.repeat(100 - offset)}${PLAIN}${'y'.repeat(200)}`, 100)
      expect(cut).toMatch(/characters cut]$/)
      expect(cut.length).toBeLessThan(140)
      expect(cut).not.toMatch(/zq/)
    }
  })

  test.each([
    'a://',
    'token":"',
    'cookie: ',
    'a.',
    'bearer ',
    '\\',
    'authorization: ',
    'x=',
    'token\\":\\"\\\\',
    'cookie: a',
    'https://a:',
  ])('of %j a million characters long is read through', (part) => {
    const { text } = createRedactor()
    expect(typeof text(part.repeat(1_000_000 / part.length), Number.POSITIVE_INFINITY)).toBe('string')
  })
})

describe('a value', () => {
  const redactor = createRedactor({ secrets: [PLAIN] })
  const written = (value: unknown) => JSON.stringify(redactor.value(value))

  test.each([
    ['token', 'canary'],
    ['accessToken', 'canary'],
    ['x-api-key', 'canary'],
    ['apiKeys', ['canary']],
    ['tokens', ['canary']],
    ['password', 12345678],
    ['PGPASSWORD', 'canary'],
    ['clientSecret', { nested: 'canary' }],
    ['Authorization', 'canary'],
    ['set-cookie', ['a=canary']],
    ['_xsrf', 'canary'],
    ['AWS_SECRET_ACCESS_KEY', 'canary'],
    ['private_key', 'canary'],
    ['credentials', { user: 'canary' }],
  ])('under the key %s is masked', (key, value) => {
    expect(redactor.value({ [key]: value })).toEqual({ [key]: MASK })
  })

  test.each([
    ['tokens', 120],
    ['max_tokens', 4096],
    ['usage', { inputTokens: 3, tokens: { total: 4 } }],
    ['token', null],
    ['hasPassword', true],
    ['password', ''],
    ['tokenType', 'bearer'],
    ['keyboard', 'qwerty'],
  ])('under the key %s (%j) is kept', (key, value) => {
    expect(redactor.value({ [key]: value })).toEqual({ [key]: value })
  })

  test('headers keep their names and lose their secrets, a referrer its query', () => {
    const headers = new Headers({
      accept: 'text/html',
      authorization: 'Bearer canary',
      cookie: 'a=canary',
      referer: 'http://localhost/lab?anything=canary#canary',
    })
    expect(redactor.value({ headers })).toEqual({
      headers: { accept: 'text/html', authorization: MASK, cookie: MASK, referer: 'http://localhost/lab' },
    })
  })

  test('an error is covered in message, stack, cause, further fields and collected errors', () => {
    const inner = Object.assign(new TypeError(`inner ${PLAIN}`), { token: 'canary', code: 'E_INNER' })
    const outer = new AggregateError([new Error(`one of many ${PLAIN}`)], `outer ${PLAIN}`, { cause: inner })
    const text = written({ err: outer })
    expect(text).not.toMatch(/zq81m|canary/)
    expect(text).toContain('outer [redacted]')
    expect(text).toContain('"type":"TypeError"')
    expect(text).toContain('E_INNER')
    expect(text).toContain('one of many')
    expect(text).toContain('redact.test.ts')
  })

  test('cycles, shared parts, depth and width are safe', () => {
    const cyclic: Record<string, unknown> = { name: 'loop' }
    cyclic.self = cyclic
    expect(redactor.value(cyclic)).toEqual({ name: 'loop', self: '[circular]' })
    const shared = { a: 1 }
    expect(redactor.value([shared, shared])).toEqual([{ a: 1 }, { a: 1 }])
    const error = new Error('own cause')
    error.cause = error
    expect(written(error)).toContain('[circular]')
    let deep: unknown = PLAIN
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(written(deep)).not.toContain(PLAIN)
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))
    expect(written(wide).length).toBeLessThan(10_000)
    const broad = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => ({ a: {} })))
    expect(written(broad).length).toBeLessThan(400_000)
    const heavy = Array.from({ length: 200 }, () => 'x'.repeat(30_000))
    expect(written(heavy).length).toBeLessThan(400_000)
  })

  test('looking runs no code of the value', () => {
    let ran = 0
    const value = {
      get token() {
        ran += 1
        return 'canary'
      },
      get other() {
        ran += 1
        return 'canary'
      },
      toJSON() {
        ran += 1
        return 'canary'
      },
    }
    expect(written(value)).not.toContain('canary')
    expect(ran).toBe(0)
  })

  test('hostile and unusual values are still written', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const fromJson: unknown = JSON.parse('{"__proto__": {"token": "canary"}, "a": 1}')
    expect(redactor.value(proxy)).toBe('[unreadable]')
    expect(written(fromJson)).toBe(`{"__proto__":{"token":"${MASK}"},"a":1}`)
    expect(Object.getPrototypeOf(redactor.value(fromJson))).toBe(Object.prototype)
    expect(redactor.value({ date: new Date(Number.NaN), big: 10n, bytes: Buffer.from('canary') })).toEqual({
      date: '[invalid date]',
      big: '10',
      bytes: '[6 bytes]',
    })
    expect(redactor.value(new URL('http://u:canary1@h/?token=canary'))).toBe(
      `http://${MASK}@h/?token=${MASK}`,
    )
    expect(redactor.value(new Map([['token', 'canary']]))).toEqual({ token: MASK })
    expect(redactor.value(new Set([PLAIN]))).toEqual([MASK])
    expect(redactor.value(Symbol(PLAIN))).toBe(`Symbol(${MASK})`)
    expect(redactor.value(() => 'canary')).toBe('[function]')
  })
})
