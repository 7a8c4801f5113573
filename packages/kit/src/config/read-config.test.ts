import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseRateLimits } from '../rate-limit/rate-limits.ts'
import { ConfigError } from './config-error.ts'
import { readConfig, secretsOf } from './read-config.ts'
import { serverSettings } from './server-settings.ts'
import { defineSettings, withFlagVariables } from './settings.ts'

const settings = defineSettings({
  port: {
    flag: 'port',
    value: 'PORT',
    env: ['APP_PORT', 'OLD_PORT'],
    key: 'port',
    schema: z.coerce.number('must be a number').default(80),
    help: 'port',
  },
  names: {
    flag: 'name',
    env: ['APP_NAMES'],
    list: true,
    schema: z.array(z.string()).default([]),
    help: 'names',
  },
  token: {
    env: ['APP_TOKEN'],
    secret: true,
    schema: z.string().min(8, 'must have 8 characters').optional(),
    help: 'token',
  },
  loud: { flag: 'loud', env: ['APP_LOUD'], schema: z.boolean().default(false), help: 'loud' },
  limits: {
    flag: 'limits',
    value: 'LIMITS',
    env: ['APP_LIMITS'],
    schema: z.string().transform(parseRateLimits).optional(),
    help: 'limits',
  },
  keys: {
    env: ['APP_KEYS'],
    list: true,
    secret: true,
    schema: z.array(z.string()).default([]),
    help: 'keys',
  },
})

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-config-'))
  writeFileSync(join(folder, 'token'), 'from-a-file\n')
  writeFileSync(join(folder, 'keys'), 'one, two\nthree\n')
  writeFileSync(join(folder, 'empty'), '\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

const faultsOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no fault'
}

describe('where a value comes from', () => {
  const file = { path: 'app.toml', values: { port: 3 } }
  test.each([
    ['the flag first', { flags: { port: '1' }, env: { APP_PORT: '2' }, file }, 1],
    ['then the environment', { env: { APP_PORT: '2', OLD_PORT: '9' }, file }, 2],
    ['an older name of the variable too', { env: { OLD_PORT: '9' }, file }, 9],
    ['then the file', { env: { APP_PORT: '' }, file }, 3],
    ['then the default', {}, 80],
  ])('%s', (_what, sources, expected) => {
    expect(readConfig(settings, sources).port).toBe(expected)
  })

  test('lists come from repeated flags or with commas from the environment', () => {
    expect(readConfig(settings, { flags: { name: ['a', 'b'] } }).names).toEqual(['a', 'b'])
    expect(readConfig(settings, { env: { APP_NAMES: ' a, b ,,' } }).names).toEqual(['a', 'b'])
  })

  test('every secret may also lie in a file', () => {
    const config = readConfig(settings, {
      env: { APP_TOKEN_FILE: join(folder, 'token'), APP_KEYS_FILE: join(folder, 'keys') },
    })
    expect([config.token, config.keys]).toEqual(['from-a-file', ['one', 'two', 'three']])
    expect(secretsOf(settings, config)).toEqual(['from-a-file', 'one', 'two', 'three'])
    expect(
      readConfig(settings, { env: { APP_PORT_FILE: join(folder, 'token') } }).port,
      'which is for secrets alone',
    ).toBe(80)
  })

  test.each([
    ['1', true],
    ['true', true],
    ['ON', true],
    ['0', false],
    ['no', false],
  ])('a switch may be %s in the environment', (text, expected) => {
    expect(readConfig(settings, { env: { APP_LOUD: text } }).loud).toBe(expected)
    expect(readConfig(settings, { flags: { loud: true }, env: { APP_LOUD: '0' } }).loud).toBe(true)
  })

  test('the result is frozen', () => {
    expect(Object.isFrozen(readConfig(settings, {}))).toBe(true)
  })
})

describe('faults', () => {
  test('name the setting and where its value came from, all at once', () => {
    const text = faultsOf(() => readConfig(settings, { flags: { port: 'x' }, env: { APP_TOKEN: 'short' } }))
    expect(text.split('\n')).toEqual([
      '--port (the flag --port "x"): must be a number',
      'APP_TOKEN (the environment variable APP_TOKEN): must have 8 characters',
    ])
  })

  test('never show a secret', () => {
    expect(faultsOf(() => readConfig(settings, { env: { APP_TOKEN: 'hunter2' } }))).not.toContain('hunter2')
  })

  test('a secret given twice, or by a file that cannot be read', () => {
    const both = { env: { APP_TOKEN: 'long-enough', APP_TOKEN_FILE: join(folder, 'token') } }
    expect(faultsOf(() => readConfig(settings, both))).toBe(
      'APP_TOKEN (APP_TOKEN and APP_TOKEN_FILE): are both set: keep one of them',
    )
    expect(faultsOf(() => readConfig(settings, { env: { APP_TOKEN_FILE: '/nowhere' } }))).toMatch(
      /^APP_TOKEN \(the file \/nowhere \(APP_TOKEN_FILE\)\): cannot be read: ENOENT/,
    )
  })

  test.each([
    [{ APP_KEYS: ',' }, /^APP_KEYS \(the environment variable APP_KEYS\): is set but names nothing/],
    [{ APP_KEYS: ' ' }, /is set but names nothing/],
    [{ APP_LOUD: 'perhaps' }, /^--loud \(the environment variable APP_LOUD\): must be 1 or 0/],
    [
      { APP_LIMITS: 'nonsense' },
      /^--limits \(the environment variable APP_LIMITS "nonsense"\): "nonsense" is not a rate limit/,
    ],
  ])('%j is a mistake, not an absence', (env, message) => {
    expect(faultsOf(() => readConfig(settings, { env }))).toMatch(message)
  })

  test('an empty file of keys is a mistake: it must not switch authentication off', () => {
    const env = { APP_KEYS_FILE: join(folder, 'empty') }
    expect(faultsOf(() => readConfig(settings, { env }))).toMatch(
      /^APP_KEYS \(the file .*\/empty \(APP_KEYS_FILE\)\): is set but names nothing/,
    )
  })

  test('point into the file', () => {
    const file = { path: 'app.toml', values: { port: 'x' } }
    expect(faultsOf(() => readConfig(settings, { file }))).toBe(
      '--port ("port" in app.toml "x"): must be a number',
    )
  })
})

describe('the settings of every server', () => {
  const server = serverSettings({ prefix: 'APP', port: 7878 })

  test('have defaults that stay on this machine', () => {
    expect(readConfig(server, {})).toMatchObject({
      host: '127.0.0.1',
      port: 7878,
      allowedHosts: [],
      allowedOrigins: [],
      trustedProxies: [],
      logLevel: 'info',
    })
  })

  test.each([
    ['port', '65536', /--port .*must be 0 to 65535/],
    ['port', '-1', /must be 0 to 65535/],
    ['port', '1.5', /must be a whole number/],
    ['port', 'abc', /must be a number/],
    ['host', '', /must not be empty/],
    ['allowed-host', ['http://x'], /must be a host name/],
    ['allowed-origin', ['x.example'], /must be an origin/],
    ['allowed-origin', ['*'], /must be an origin/],
    ['public-url', 'ftp://x', /must be an http or https address/],
    ['trust-proxy', ['everybody'], /is no address of a proxy/],
    ['log-level', 'loud', /must be one of trace, debug/],
  ])('--%s %j is refused', (flag, value, message) => {
    expect(faultsOf(() => readConfig(server, { flags: { [flag]: value } }))).toMatch(message)
  })
})

describe('other names', () => {
  const address = defineSettings({
    url: {
      flag: 'notebook-url',
      flagAliases: ['jupyter-url'],
      value: 'URL',
      env: ['NOTEBOOK_URL', 'JUPYTER_URL'],
      unset: ['none', 'null'],
      schema: z.string().optional(),
      help: 'url',
    },
    token: {
      env: ['TOKEN'],
      unset: ['none'],
      secret: true,
      schema: z.string().optional(),
      help: 'token',
    },
  })
  test.each([
    ['the other name of a flag', { flags: { 'jupyter-url': 'a' }, env: { NOTEBOOK_URL: 'b' } }, 'a'],
    ['its own name first', { flags: { 'jupyter-url': 'a', 'notebook-url': 'b' } }, 'b'],
    ['the next name after one that says nothing', { env: { NOTEBOOK_URL: 'None', JUPYTER_URL: 'b' } }, 'b'],
    [
      'the environment after a flag that says nothing',
      { flags: { 'notebook-url': '' }, env: { JUPYTER_URL: 'b' } },
      'b',
    ],
    [
      'nothing after words for nothing',
      { flags: { 'jupyter-url': 'NULL' }, env: { NOTEBOOK_URL: 'none' } },
      undefined,
    ],
  ])('%s', (_what, sources, expected) => {
    expect(readConfig(address, sources).url).toBe(expected)
  })

  test('a word for nothing does not get into the way of a file', () => {
    const env = { TOKEN: 'None', TOKEN_FILE: join(folder, 'token') }
    expect(readConfig(address, { env }).token).toBe('from-a-file')
  })

  test('every flag is also a variable, behind its own ones', () => {
    const named = withFlagVariables(settings)
    expect(named.port.env).toEqual(['APP_PORT', 'OLD_PORT', 'PORT'])
    expect(named.token.env).toEqual(['APP_TOKEN'])
    expect(readConfig(named, { env: { LOUD: 'y', NAME: 'a,b' } })).toMatchObject({
      loud: true,
      names: ['a', 'b'],
    })
    expect(withFlagVariables(named)).toEqual(named)
  })
})
