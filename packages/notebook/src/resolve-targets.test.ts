import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { resolveTargets, type Side } from './resolve-targets.ts'

const A = 'http://a.example:8888'
const B = 'http://b.example:8888'
const DEFAULT = 'http://localhost:8888'

function resolve(notebook: Side, document: Side = {}, sandbox: Side = {}) {
  const { targets, warnings } = resolveTargets({ notebook, document, sandbox, allowTokenInUrl: false })
  return { ...targets, warnings: warnings.join('\n') }
}

describe('where documents are and where code runs', () => {
  test.each<[string, [Side, Side?, Side?], string, string]>([
    ['nothing said', [{}], DEFAULT, DEFAULT],
    ['one server', [{ url: A }], A, A],
    ['another one for documents', [{ url: A }, { url: B }], B, A],
    ['another one for code', [{ url: A }, {}, { url: B }], A, B],
    ['one each', [{}, { url: A }, { url: B }], A, B],
    ['only the one for code', [{}, {}, { url: B }], B, B],
    ['only the one for documents', [{}, { url: A }], A, DEFAULT],
    ['both said twice', [{ url: 'http://c.example' }, { url: A }, { url: B }], A, B],
  ])('%s', (_what, sides, document, sandbox) => {
    verifies('NB-CRED-1')
    const targets = resolve(...sides)
    expect([targets.document.url, targets.sandbox.url]).toEqual([document, sandbox])
  })
})

describe('credentials stay with the address they were given for', () => {
  test.each<[string, [Side, Side?, Side?], string | undefined, string | undefined]>([
    ['of the one server go to both', [{ url: A, token: 'n' }], 'n', 'n'],
    ['of the default server too', [{ token: 'n' }], 'n', 'n'],
    ['do not follow to a server for documents', [{ url: A, token: 'n' }, { url: B }], undefined, 'n'],
    ['do not follow to a server for code', [{ url: A, token: 'n' }, {}, { url: B }], 'n', undefined],
    [
      'of the default server do not follow either',
      [{ token: 'n' }, { url: A }, { url: B }],
      undefined,
      undefined,
    ],
    ['each side has its own', [{}, { url: A, token: 'd' }, { url: B, token: 's' }], 'd', 's'],
    ['its own come first', [{ url: A, token: 'n' }, { token: 'd' }, { token: 's' }], 'd', 's'],
    ['go to the other side on the same server', [{}, { url: A }, { url: A, token: 's' }], 's', 's'],
    ['the other way round as well', [{}, { url: A, token: 'd' }, { url: A }], 'd', 'd'],
    [
      'not to another path of that server',
      [{}, { url: `${A}/user/ada` }, { url: A, token: 's' }],
      undefined,
      's',
    ],
    [
      'not to another port of it',
      [{}, { url: 'http://a.example:9' }, { url: A, token: 's' }],
      undefined,
      's',
    ],
    [
      'not to the same by https',
      [{}, { url: 'https://a.example:8888' }, { url: A, token: 's' }],
      undefined,
      's',
    ],
    [
      'of code go along where documents have no server of their own',
      [{}, {}, { url: B, token: 's' }],
      's',
      's',
    ],
  ])('%s', (_what, sides, document, sandbox) => {
    verifies('NB-ENV-12')
    const targets = resolve(...sides)
    expect([targets.document.token, targets.sandbox.token]).toEqual([document, sandbox])
  })

  test('token and password of a server belong together', () => {
    const { document, sandbox } = resolve({ url: A, password: 'n' }, { token: 'd' })
    expect([document.token, document.password]).toEqual(['d', undefined])
    expect([sandbox.token, sandbox.password]).toEqual([undefined, 'n'])
  })

  test('one server with one set of credentials is one object', () => {
    for (const one of [resolve({ url: A, token: 'n' }), resolve({}, { url: A }, { url: A, token: 's' })])
      expect(one.document).toBe(one.sandbox)
    const two = resolve({ url: A }, { token: 'd' }, { token: 's' })
    expect(two.document).not.toBe(two.sandbox)
  })
})

describe('warnings', () => {
  test.each<[string, [Side, Side?, Side?], RegExp]>([
    ['a side without credentials', [{ url: A, token: 'n' }, { url: B }], /^no token .*http:\/\/b\.example/],
    ['credentials that nobody uses', [{ token: 'n' }, { url: A }, { url: B }], /NOTEBOOK_URL .*are not used/],
  ])('%s', (_what, sides, expected) => {
    expect(resolve(...sides).warnings).toMatch(expected)
  })

  test.each<[string, [Side, Side?, Side?]]>([
    ['servers that ask for nothing', [{}, { url: A }, { url: B }]],
    ['a server with its token', [{ url: A, token: 'n' }]],
    ['two with their own', [{}, { url: A, token: 'd' }, { url: B, password: 's' }]],
  ])('none for %s', (_what, sides) => {
    expect(resolve(...sides).warnings).toBe('')
  })

  test('hold no credential', () => {
    const { warnings } = resolve({ token: 'canary' }, { url: A, password: 'canary' }, { url: B })
    expect(warnings).not.toBe('')
    expect(warnings).not.toContain('canary')
  })
})

test('what else was said goes along', () => {
  const input = { notebook: {}, document: {}, sandbox: {}, documentId: 'a.ipynb', kernelId: 'k' }
  const { targets } = resolveTargets({ ...input, allowTokenInUrl: true })
  expect(targets).toMatchObject({ documentId: 'a.ipynb', kernelId: 'k', sandbox: { allowTokenInUrl: true } })
})
