import { readConfig } from '@quire/kit/config/read-config'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { runtimeSettings } from './settings.ts'

const read = (flags: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  readConfig(runtimeSettings, { flags, env })

test('what holds when nothing is said', () => {
  verifies('RT-SVC-3', 'RT-AUTH-1', 'RT-RATE-6', 'RT-CONV-15')
  expect(read()).toMatchObject({ host: '127.0.0.1', port: 8765, model: 'builtin:guide', apiKeys: [] })
  expect(read().rateLimits).toBeUndefined()
  expect(read().keepConversations).toBeUndefined()
})

test('keys come from the environment, with commas between them, or from flags', () => {
  verifies('RT-AUTH-3', 'RT-AUTH-4')
  const [one, two] = ['first-0123456789ab', 'second-0123456789ab']
  expect(read({}, { RUNTIME_API_KEYS: `${one},${two}` }).apiKeys).toEqual([one, two])
  expect(read({ 'api-key': [one] }).apiKeys).toEqual([one])
})

test('limits are by operation', () => {
  verifies('RT-RATE-3')
  const { rateLimits } = read({ 'rate-limit': 'promptAgent=60/m,default=600/m' })
  expect(rateLimits?.get('promptAgent')).toMatchObject({ quota: 60, windowSeconds: 60 })
  expect(rateLimits?.get('default')).toMatchObject({ quota: 600 })
})

test('a model may be silent for two minutes, or for as long as it is said', () => {
  expect(read().modelTimeout).toBe(120)
  expect(read({ 'model-timeout': '30' }).modelTimeout).toBe(30)
  expect(read({}, { RUNTIME_MODEL_TIMEOUT: '0.5e2' }).modelTimeout).toBe(50)
})

test('the database may be named for all services, or for this one', () => {
  expect(read({}, { DATABASE_URL: 'sqlite:a.db' }).database).toBe('sqlite:a.db')
  const both = { DATABASE_URL: 'sqlite:a.db', RUNTIME_DATABASE_URL: 'sqlite:b.db' }
  expect(read({}, both).database).toBe('sqlite:b.db')
})

describe.each<[string, unknown]>([
  ['port', 'many'],
  ['model-timeout', '0'],
  ['model-timeout', '-5'],
  ['model-timeout', 'soon'],
  ['model-timeout', '999999'],
  ['model-timeout', ''],
  ['port', '70000'],
  ['database', 'mysql://x'],
  ['database', 'sqlite:'],
  ['model', 'gpt'],
  ['api-key', ['short']],
  ['rate-limit', 'promptAgent=60'],
  ['rate-limit', ''],
  ['keep-conversations', '0'],
  ['keep-conversations', '-1'],
  ['keep-conversations', 'week'],
  ['mcp-config', ''],
  ['trust-proxy', ['x']],
  ['allowed-host', ['http://x']],
])('--%s %j', (flag, value) => {
  test('is refused by its name', () => {
    expect(() => read({ [flag]: value })).toThrow(`--${flag}`)
  })
})

test('a database address is not shown when it is wrong: it may hold a password', () => {
  expect(() => read({ database: 'mysql://ada:canary@host' })).not.toThrow(/canary/)
})
