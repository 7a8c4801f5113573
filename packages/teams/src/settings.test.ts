import { readConfig, secretsOf } from '@quire/kit/config/read-config'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { allowedAgentsOf, teamsSettings } from './settings.ts'

const read = (flags: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  readConfig(teamsSettings, { flags, env })

const AGENTS = 'http://127.0.0.1:8765/api/v1/agents/'

test('what holds when nothing is said', () => {
  verifies('TM-SVC-4', 'TM-AUTH-1')
  expect(read()).toMatchObject({
    host: '127.0.0.1',
    port: 8766,
    model: 'builtin:guide',
    apiKeys: [],
    allowedAgents: [],
    requiredToolsets: [],
    insecureNoauth: false,
  })
  expect(read().rateLimits).toBeUndefined()
  expect(read().concurrency).toBeUndefined()
})

test('keys come from the environment, with commas between them, or from flags', () => {
  verifies('TM-AUTH-1')
  const [one, two] = ['first-0123456789ab', 'second-0123456789ab']
  expect(read({}, { TEAMS_API_KEYS: `${one},${two}` }).apiKeys).toEqual([one, two])
  expect(read({ 'api-key': [one] }).apiKeys).toEqual([one])
})

test('limits are by operation', () => {
  const { rateLimits } = read({ 'rate-limit': 'createTask=60/m,default=600/m' })
  expect(rateLimits?.get('createTask')).toMatchObject({ quota: 60, windowSeconds: 60 })
})

test('the database may be named for all services, or for this one', () => {
  expect(read({}, { DATABASE_URL: 'sqlite:a.db' }).database).toBe('sqlite:a.db')
  const both = { DATABASE_URL: 'sqlite:a.db', TEAMS_DATABASE_URL: 'sqlite:b.db' }
  expect(read({}, both).database).toBe('sqlite:b.db')
})

describe('agents elsewhere', () => {
  test('are allowed by address, with or without a key', () => {
    const other = 'https://agents.example/api/v1/agents/'
    const config = read({ 'allow-agent': [AGENTS, other] }, { TEAMS_AGENT_KEYS: `${other}=s3cr3t==` })
    expect(allowedAgentsOf(config)).toEqual([{ url: AGENTS }, { url: other, key: 's3cr3t==' }])
    expect(secretsOf(teamsSettings, config).join()).toContain('s3cr3t')
  })

  test('have no key that is for nobody, and it is not shown', () => {
    const config = read({}, { TEAMS_AGENT_KEYS: `${AGENTS}=canary-0123456789` })
    expect(() => allowedAgentsOf(config)).toThrow(`TEAMS_AGENT_KEYS (${AGENTS}): has a key`)
    expect(() => allowedAgentsOf(config)).not.toThrow(/canary/)
    expect(() => read({}, { TEAMS_AGENT_KEYS: 'canary-0123456789' })).toThrow(/must be URL=KEY/)
    expect(() => read({}, { TEAMS_AGENT_KEYS: 'canary-0123456789' })).not.toThrow(/canary/)
  })
})

describe.each<[string, unknown]>([
  ['port', 'many'],
  ['port', '70000'],
  ['database', 'mysql://x'],
  ['database', 'sqlite:'],
  ['model', 'gpt'],
  ['api-key', ['short']],
  ['rate-limit', 'createTask=60'],
  ['rate-limit', ''],
  ['concurrency', '0'],
  ['concurrency', '-1'],
  ['concurrency', '1.5'],
  ['concurrency', '1000000000'],
  ['concurrency', 'many'],
  ['mcp-config', ''],
  ['require-toolset', ['']],
  ['trust-proxy', ['x']],
  ['allowed-host', ['http://x']],
  ['allow-agent', ['ftp://host/api/v1/agents/']],
  ['allow-agent', ['http://ada:secret@host/api/v1/agents/']],
  ['allow-agent', ['http://host/api/v1/agents/?x=1']],
  ['allow-agent', ['http://host/']],
  ['allow-agent', ['*']],
])('--%s %j', (flag, value) => {
  test('is refused by its name', () => {
    expect(() => read({ [flag]: value })).toThrow(`--${flag}`)
  })
})

test('a database address is not shown when it is wrong: it may hold a password', () => {
  expect(() => read({ database: 'mysql://ada:canary@host' })).not.toThrow(/canary/)
})
