import { verifies } from '@quire/spec/verifies'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunningApi, send, startApi, tokenFor } from './parts.fixture.ts'

let api: RunningApi
beforeEach(async () => {
  api = await startApi()
})
afterEach(() => api.close())

const TOML = '# kept\n[composer]\nname = "two"\n'
const toml = (method: string, body: string, headers: Record<string, string> = {}) => ({
  method,
  headers: { 'content-type': 'application/toml', ...headers },
  body,
})
const put = (body: unknown, headers: Record<string, string> = {}) => {
  const init = send('PUT', body)
  return api.call('/api/v1/config', { ...init, headers: { 'content-type': 'application/json', ...headers } })
}

describe('GET /config', () => {
  test('is the configuration, where it lies, and its revision', async () => {
    verifies('CO-CFG-1')
    const { body, headers } = await api.call('/api/v1/config')
    expect(body).toEqual({
      config: { composer: { name: 'one' }, key: '[redacted]' },
      path: '/etc/quire.toml',
      revision: 'revision-1',
    })
    expect(headers.get('etag')).toBe('"revision-1"')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test.each(['application/toml', 'application/toml;q=1, application/json;q=0.5'])(
    'is TOML with its comments for Accept: %s',
    async (accept) => {
      verifies('CO-CFG-3')
      const { text, headers } = await api.call('/api/v1/config', { headers: { accept } })
      expect(text).toBe('# a comment\n[composer]\nname = "one"\n')
      expect(headers.get('content-type')).toBe('application/toml; charset=utf-8')
      expect(headers.get('etag')).toBe('"revision-1"')
    },
  )

  test.each(['*/*', 'application/json', 'text/html', 'application/json, application/toml'])(
    'is JSON for Accept: %s',
    async (accept) => {
      const { headers } = await api.call('/api/v1/config', { headers: { accept } })
      expect(headers.get('content-type')).toMatch(/^application\/json/)
    },
  )
})

describe('PUT /config', () => {
  test('takes JSON, and answers what has changed', async () => {
    verifies('CO-CFG-4', 'CO-CFG-8')
    const { status, body } = await put({ config: { composer: { name: 'two' } } })
    expect(status).toBe(200)
    expect(body).toEqual({
      config: { composer: { name: 'two' } },
      revision: 'revision-2',
      changes: { added: ['new'], removed: [], changed: [], unchanged: ['alpha'] },
      restart_required: ['composer.port'],
    })
    expect(api.config.changes).toEqual([{ document: { composer: { name: 'two' } }, revision: undefined }])
    expect(api.recorded).toMatchObject([{ method: 'config/write', outcome: 'ok', subject: 'ada' }])
  })

  test('takes TOML', async () => {
    verifies('CO-CFG-5')
    expect((await api.call('/api/v1/config', toml('PUT', TOML))).status).toBe(200)
    expect(api.config.changes).toEqual([{ text: TOML, revision: undefined }])
  })

  test('refuses a faulty one with every fault', async () => {
    verifies('CO-CFG-6')
    expect(await put({ config: { bad: 1 } })).toMatchObject({
      status: 400,
      body: {
        error_code: 'CONFIG_INVALID',
        errors: [{ path: 'composer.port' }, { path: 'servers' }],
      },
    })
    expect(api.config.changes).toEqual([])
    expect(api.recorded).toMatchObject([{ method: 'config/write', outcome: 'CONFIG_INVALID' }])
  })

  test('refuses a command that it may not bring', async () => {
    expect(await put({ config: { command: 'foreign' } })).toMatchObject({
      status: 400,
      body: { error_code: 'COMMAND_NOT_ALLOWED' },
    })
  })

  test('refuses what was made from an older one', async () => {
    verifies('CO-CFG-10')
    const conflict = { status: 400, body: { error_code: 'CONFIG_CONFLICT' } }
    expect(await put({ config: {}, revision: 'revision-0' })).toMatchObject(conflict)
    expect(await put({ config: {} }, { 'if-match': '"revision-0"' })).toMatchObject(conflict)
    const stale = toml('PUT', TOML, { 'if-match': 'W/"revision-0"' })
    expect(await api.call('/api/v1/config', stale)).toMatchObject(conflict)
    expect(api.config.changes).toEqual([])
  })

  test('takes what was made from the present one', async () => {
    expect((await put({ config: {}, revision: 'revision-1' })).status).toBe(200)
    expect((await api.call('/api/v1/config', toml('PUT', TOML, { 'if-match': '"revision-2"' }))).status).toBe(
      200,
    )
    expect((await put({ config: {} }, { 'if-match': '*' })).status).toBe(200)
  })

  test.each([
    [{}],
    [{ config: [] }],
    [{ config: null }],
    [{ config: 'x' }],
    [{ composer: {} }],
    [{ config: {}, force: true }],
    [{ config: {}, revision: 1 }],
  ])('refuses %j', async (body) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } })
    expect(api.config.changes).toEqual([])
  })

  test('needs config:write; to read is not enough', async () => {
    verifies('CO-CMD-6')
    for (const [method, path] of [
      ['PUT', '/api/v1/config'],
      ['POST', '/api/v1/config/reload'],
    ] as const) {
      for (const scope of ['config:read', 'servers:manage'])
        expect((await api.call(path, { ...toml(method, TOML), as: tokenFor(scope) })).status).toBe(403)
    }
    expect([api.config.changes, api.config.reloads]).toEqual([[], 0])
    expect(
      (await api.call('/api/v1/config', { ...toml('PUT', TOML), as: tokenFor('config:write') })).status,
    ).toBe(200)
  })
})

describe('POST /config/validate', () => {
  test.each([
    ['JSON', () => send('POST', { config: { bad: 1 } }), false],
    ['JSON', () => send('POST', { config: {} }), true],
    ['TOML', () => toml('POST', 'bad = 1'), false],
    ['TOML', () => toml('POST', TOML), true],
  ])('judges %s, and changes nothing', async (_type, init, valid) => {
    verifies('CO-CFG-11')
    const { status, body } = await api.call('/api/v1/config/validate', init())
    expect(status).toBe(200)
    expect(body).toEqual({
      valid,
      errors: valid ? [] : [{ path: 'composer.port', line: 2, column: 1, message: 'must be a whole number' }],
      warnings: [],
      ...(valid && {
        changes: { added: [], removed: ['alpha', 'beta', 'gamma'], changed: [], unchanged: [] },
        restart_required: ['composer.port'],
      }),
    })
    expect([api.config.changes, api.config.reloads]).toEqual([[], 0])
  })
})

test('POST /config/reload reads the file again', async () => {
  verifies('CO-CFG-13')
  const { status, body } = await api.call('/api/v1/config/reload', { method: 'POST' })
  expect(status).toBe(200)
  expect(body).toEqual({
    config: { composer: { name: 'one' } },
    revision: 'revision-1',
    changes: { added: [], removed: [], changed: [], unchanged: ['alpha'] },
    restart_required: [],
  })
  expect(api.config.reloads).toBe(1)
  expect(api.recorded).toMatchObject([{ method: 'config/reload', outcome: 'ok' }])
})
