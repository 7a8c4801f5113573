import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '@quire/kit/config/config-error'
import { CallerError } from '@quire/kit/errors'
import { createLogger } from '@quire/kit/log'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadModuleVerifier } from './module-verifier.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'quire-verifier-'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

const lines: string[] = []
const logger = createLogger({
  level: 'info',
  pretty: false,
  destination: { write: (line) => void lines.push(line) },
})
const NOW = Date.parse('2030-01-01T00:00:00Z')
const load = (name: string, deadlineMs?: number) =>
  loadModuleVerifier(name, { logger, cwd, now: () => NOW, ...(deadlineMs !== undefined && { deadlineMs }) })

let files = 0
/** A module with this text, by its path from the folder we were started in. */
function write(text: string, name = `verifier-${files++}.mjs`): string {
  writeFileSync(join(cwd, name), text)
  return `./${name}`
}
const answering = (answer: string) => load(write(`export default (token) => (${answer})`))

describe('where it comes from', () => {
  const text = `export default (token) => token === 'right' ? { subject: 'ada', scopes: [] } : null`

  test.each([
    ['a path', () => write(text)],
    ['a path without a dot', () => write(text).slice(2)],
    ['the whole path', () => join(cwd, write(text))],
    ['an address of a file', () => pathToFileURL(join(cwd, write(text))).href],
    ['TypeScript', () => write(text.replace('(token)', '(token: string)'), 'verifier.ts')],
    [
      'a package that is installed there',
      () => {
        const folder = join(cwd, 'node_modules', 'my-verifier')
        mkdirSync(folder, { recursive: true })
        const exports = { '.': { default: './index.js' } }
        writeFileSync(
          join(folder, 'package.json'),
          JSON.stringify({ name: 'my-verifier', type: 'module', exports }),
        )
        writeFileSync(join(folder, 'index.js'), text)
        return 'my-verifier'
      },
    ],
  ])('%s', async (_what, name) => {
    verifies('NB-VERIFY-2')
    const verify = await load(name())
    expect(await verify('right')).toMatchObject({ subject: 'ada' })
    expect(await verify('wrong')).toBeNull()
  })

  test.each([
    ['no such file', './missing.mjs', /--mcp-token-verifier \(\.\/missing\.mjs\): cannot be loaded/],
    ['no such package', 'no-such-package-anywhere', /cannot be loaded/],
    ['no module', write2('this is no JavaScript'), /cannot be loaded/],
    ['a module that throws', write2('throw new Error("out of order")'), /cannot be loaded: out of order/],
    ['no default export', write2('export const verify = () => null'), /no function as its default export/],
    ['something else as its default export', write2('export default { verify() {} }'), /no function/],
  ])('%s is no reason to start without one', async (_what, name, expected) => {
    const failure = await load(typeof name === 'function' ? name() : name).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect(String(failure)).toMatch(expected)
  })
})

function write2(text: string): () => string {
  return () => write(text)
}

describe('what it answers', () => {
  test.each([
    ['at once', `{ subject: 'ada', scopes: ['notebooks:read'] }`],
    ['as a promise', `Promise.resolve({ subject: 'ada', scopes: ['notebooks:read'] })`],
    ['with more than is asked', `{ subject: 'ada', scopes: ['notebooks:read'], email: 'a@example.org' }`],
    [
      'with an end in seconds',
      `{ subject: 'ada', scopes: ['notebooks:read'], expiresAt: ${NOW / 1000 + 60} }`,
    ],
    [
      'with an end as a Date',
      `{ subject: 'ada', scopes: ['notebooks:read'], expiresAt: new Date(${NOW + 60_000}) }`,
    ],
    [
      'with an end as a text',
      `{ subject: 'ada', scopes: ['notebooks:read'], expiresAt: '2030-01-01T00:01:00Z' }`,
    ],
    [
      'with an end elsewhere',
      `{ subject: 'ada', scopes: ['notebooks:read'], expiresAt: '2030-01-01T02:01:00+02:00' }`,
    ],
  ])('%s', async (_what, answer) => {
    verifies('NB-VERIFY-4')
    const principal = await (await answering(answer))('token')
    expect(principal).toMatchObject({ subject: 'ada', scopes: new Set(['notebooks:read']) })
  })

  test.each([
    ['now', `${NOW / 1000}`],
    ['long ago', '1'],
    ['a Date that is over', `new Date(${NOW - 1})`],
    ['a text that is over', `'2029-12-31T23:59:59Z'`],
  ])('a token that ended %s is refused', async (_what, expiresAt) => {
    verifies('NB-VERIFY-5')
    expect(
      await (await answering(`{ subject: 'ada', scopes: [], expiresAt: ${expiresAt} }`))('token'),
    ).toBeNull()
  })

  test.each([
    ['undefined', 'undefined'],
    ['true', 'true'],
    ['a text', `'ada'`],
    ['nothing in it', '{}'],
    ['no subject', `{ scopes: [] }`],
    ['an empty subject', `{ subject: '', scopes: [] }`],
    ['a number as subject', `{ subject: 7, scopes: [] }`],
    ['no scopes', `{ subject: 'ada' }`],
    ['null for scopes', `{ subject: 'ada', scopes: null }`],
    ['scopes in one text', `{ subject: 'ada', scopes: 'notebooks:read' }`],
    ['scopes that are no texts', `{ subject: 'ada', scopes: [1] }`],
    ['milliseconds', `{ subject: 'ada', scopes: [], expiresAt: ${NOW + 60_000} }`],
    ['no number at all', `{ subject: 'ada', scopes: [], expiresAt: NaN }`],
    ['for ever', `{ subject: 'ada', scopes: [], expiresAt: Infinity }`],
    ['no Date at all', `{ subject: 'ada', scopes: [], expiresAt: new Date('x') }`],
    ['no time at all', `{ subject: 'ada', scopes: [], expiresAt: 'tomorrow' }`],
    ['null for its end', `{ subject: 'ada', scopes: [], expiresAt: null }`],
  ])('%s lets nobody in, and is told to the log', async (_what, answer) => {
    verifies('NB-VERIFY-4')
    lines.length = 0
    expect(await (await answering(answer))('canary-token')).toBeNull()
    expect(lines.join()).toContain('wrong shape')
    expect(lines.join()).not.toContain('canary')
  })

  test('null is an answer like any other', async () => {
    verifies('NB-VERIFY-4')
    lines.length = 0
    expect(await (await answering('null'))('token')).toBeNull()
    expect(lines).toEqual([])
  })

  test('what was opened with a token ends with it', async () => {
    const verify = await answering(`{ subject: 'ada', scopes: [], expiresAt: ${(NOW + 50) / 1000} }`)
    const { revoked } = (await verify('token')) ?? {}
    expect(revoked?.aborted).toBe(false)
    await new Promise((resolve) => revoked?.addEventListener('abort', resolve))
  })

  test('a token of many years does not end at once', async () => {
    const verify = await answering(
      `{ subject: 'ada', scopes: [], expiresAt: ${NOW / 1000 + 10 * 365 * 86_400} }`,
    )
    const { revoked } = (await verify('token')) ?? {}
    await new Promise((resolve) => setImmediate(() => setTimeout(resolve, 5)))
    expect(revoked?.aborted).toBe(false)
  })
})

describe('when it cannot tell', () => {
  test.each([
    ['throws', '() => { throw new Error("the database is away") }'],
    ['rejects', 'async () => { throw new Error("the database is away") }'],
    ['rejects with something else', '() => Promise.reject(null)'],
    ['never answers', '() => new Promise(() => undefined)'],
  ])('because it %s, the caller is told to try again', async (_what, text) => {
    const verify = await load(write(`export default ${text}`), 50)
    const failure = await Promise.try(verify, 'token').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CallerError)
    expect(failure).toMatchObject({ problem: { status: 503, reason: 'unavailable' } })
    expect(String(failure)).not.toContain('database')
  })
})
