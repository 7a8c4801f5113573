import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ComposerError } from '../composer-error.ts'
import type { Reply } from '../rpc.ts'
import { POWERLESS, SECRET, send, startApi } from './parts.fixture.ts'
import { createFixtureServer, stdio, tool } from './server.fixture.ts'

const api = await startApi()
afterAll(api.close)

beforeEach(() => {
  api.state.faults = []
  api.state.answer = () => reply('{"content":[]}')
  api.servers.gamma.become('stopped')
  api.sent.length = 0
  api.recorded.length = 0
})

const reply = (text: string): Reply => ({ result: Buffer.from(text) })
const invoke = (name: string, args: unknown = {}) =>
  api.call(`/api/v1/tools/${name}/invoke`, send('POST', args))

describe('a call', () => {
  test('hands the body to the server as arguments', async () => {
    verifies('CO-INVOKE-1')
    const args = { a: 1, arguments: { nested: ['x', null, 1.5e300] }, text: 'naïve 日本 \u2028' }
    expect((await invoke('alpha:add', args)).status).toBe(200)
    expect(api.sent).toMatchObject([
      { server: 'alpha', method: 'tools/call', params: { name: 'add', arguments: args } },
    ])
    expect(api.sent[0]?.params.arguments).toEqual(args)
    expect(Object.keys(api.sent[0]?.asker ?? {}).sort()).toEqual(['capabilities', 'client', 'era', 'signal'])
    expect(api.sent[0]?.asker.capabilities).toEqual({})
  })

  test.each(['alpha__read_file', 'alpha:read%2Ffile'])('finds its tool by %s', async (name) => {
    verifies('CO-MCP-5', 'CO-TOOL-9')
    const entry = api.catalog.findTool('alpha:read/file')
    const wanted = name === 'alpha__read_file' ? (entry?.name ?? '') : name
    await invoke(wanted)
    expect(api.sent).toMatchObject([{ server: 'alpha', params: { name: 'read/file' } }])
  })

  test('answers what the server answered, byte by byte', async () => {
    verifies('CO-INVOKE-2', 'CO-INVOKE-3')
    const result =
      '{ "content":[{"type":"text","text":"caf\\u00e9 ☕"}],"structuredContent":{"big":12345678901234567890,"f":1.0},\n"_meta":{"x/y":1}}'
    api.state.answer = () => reply(result)
    const { status, headers, text, body } = await invoke('alpha:add')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(text).toContain(`{"result":${result},"is_error":false,"execution_time_ms":`)
    expect(Object.keys(body)).toEqual(['result', 'is_error', 'execution_time_ms'])
    expect(body.execution_time_ms).toBeGreaterThanOrEqual(0)
  })

  test.each([
    ['{"content":[],"isError":true}', true],
    ['{"isError" :\n true,"content":[]}', true],
    ['{"content":[],"isError":false}', false],
    ['{"content":[{"type":"text","text":"\\"isError\\":true"}]}', false],
    ['{"content":[],"structuredContent":{"isError":true}}', false],
    ['{"content":[],"structuredContent":{"isError":true},"isError":true}', true],
  ])('of which the result is %s has is_error %s', async (result, isError) => {
    verifies('CO-INVOKE-2')
    api.state.answer = () => reply(result)
    const { status, body } = await invoke('alpha:add')
    expect([status, body.is_error, body.result]).toEqual([200, isError, JSON.parse(result)])
    expect(api.recorded).toMatchObject([{ outcome: isError ? 'tool_error' : 'ok' }])
  })

  test('of a client that leaves is cancelled', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    api.state.answer = ({ asker }) => {
      begun.resolve(asker.signal)
      return new Promise((_, reject) =>
        asker.signal.addEventListener('abort', () => reject(new ComposerError('CANCELLED', 'Cancelled.'))),
      )
    }
    const leaving = new AbortController()
    const answer = api.call('/api/v1/tools/alpha:add/invoke', { ...send('POST', {}), signal: leaving.signal })
    const signal = await begun.promise
    expect(signal.aborted).toBe(false)
    leaving.abort()
    await expect(answer).rejects.toThrow(/abort/)
    await vi.waitUntil(() => signal.aborted, 30_000)
    await vi.waitUntil(() => api.recorded.length > 0, 30_000)
    expect(api.recorded).toMatchObject([{ outcome: 'CANCELLED' }])
  })

  test('is put on record without what was in it', async () => {
    api.state.answer = () => reply('{"content":[{"type":"text","text":"the-result"}]}')
    await invoke('plus', { a: 'the-argument' })
    expect(api.recorded).toMatchObject([
      { subject: 'ada', method: 'tools/call', target: 'alpha:add', server: 'alpha', outcome: 'ok' },
    ])
    expect(JSON.stringify(api.recorded)).not.toMatch(/the-(?:result|argument)/)
  })
})

describe('a call is refused', () => {
  test('with every fault when its arguments break the schema', async () => {
    verifies('CO-INVOKE-4', 'CO-ERR-2')
    api.state.faults = [
      { path: 'body.a', message: 'must be a number' },
      { path: 'body.b', message: 'is missing' },
    ]
    expect(await invoke('alpha:add', { a: 'x' })).toMatchObject({
      status: 400,
      body: {
        error_code: 'VALIDATION_ERROR',
        detail: 'The arguments do not fit the tool "alpha:add". body.a: must be a number (and 1 more)',
        errors: api.state.faults,
      },
    })
    expect(api.sent).toEqual([])
  })

  test('when there were too many', async () => {
    api.state.isLimited = true
    const answer = await invoke('alpha:add').finally(() => {
      api.state.isLimited = false
    })
    expect(answer).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMITED' } })
    expect(answer.headers.get('retry-after')).toBe('9')
    expect(api.sent).toEqual([])
  })

  test('when its server is stopped', async () => {
    verifies('CO-INVOKE-5', 'CO-ERR-3')
    for (const name of ['gamma:wait', 'gamma__wait'])
      expect(await invoke(name)).toMatchObject({ status: 400, body: { error_code: 'SERVER_NOT_RUNNING' } })
  })

  test('when its server has crashed', async () => {
    verifies('CO-INVOKE-6')
    api.servers.gamma.become('crashed')
    expect(await invoke('gamma:wait')).toMatchObject({ status: 503, body: { error_code: 'SERVER_CRASHED' } })
  })

  test.each([
    ['SERVER_LOST', 503, 'CO-INVOKE-7'],
    ['TIMEOUT_ERROR', 504, 'CO-INVOKE-8'],
    ['SERVER_BUSY', 503, undefined],
    ['CIRCUIT_OPEN', 503, undefined],
    ['SERVER_NOT_RUNNING', 400, 'CO-INVOKE-5'],
  ] as const)('as %s with %i', async (code, status, clause) => {
    if (clause) verifies(clause)
    api.state.answer = () => {
      throw new ComposerError(code, 'So it is.', { headers: { 'retry-after': '3' } })
    }
    const answer = await invoke('alpha:add')
    expect(answer).toMatchObject({ status, body: { detail: 'So it is.', error_code: code } })
    expect(answer.headers.get('retry-after')).toBe('3')
    expect(api.recorded).toMatchObject([{ outcome: code }])
  })

  test.each([
    [-32602, 400, 'VALIDATION_ERROR'],
    [-32002, 404, 'NOT_FOUND'],
    [-32603, 500, 'TOOL_EXECUTION_FAILED'],
    [-32000, 500, 'TOOL_EXECUTION_FAILED'],
    [-32021, 400, 'INPUT_REQUIRED'],
    [-32042, 400, 'INPUT_REQUIRED'],
  ])('when the server answers the error %i, with %i', async (code, status, error_code) => {
    api.state.answer = () => ({ error: { code, message: `no way, ${SECRET}` } })
    const answer = await invoke('alpha:add')
    expect(answer).toMatchObject({ status, body: { error_code, detail: expect.stringContaining('"alpha"') } })
    if (error_code !== 'INPUT_REQUIRED') expect(answer.body.detail).toContain('no way, [redacted]')
    expect(answer.text).not.toContain(SECRET)
  })

  test('when the server wants to ask something first', async () => {
    api.state.answer = () => reply('{"resultType":"input_required","inputRequests":{}}')
    expect(await invoke('alpha:add')).toMatchObject({
      status: 400,
      body: { error_code: 'INPUT_REQUIRED', detail: expect.stringContaining('/mcp') },
    })
    expect(api.recorded).toMatchObject([{ outcome: 'asked' }])
  })

  test('when the tool has changed and its server is pinned', async () => {
    const pinned = await startApi()
    try {
      const definition = stdio('gamma', ['node'], { pin: true })
      const { catalog } = pinned
      const { alpha, beta } = pinned.servers
      catalog.configure(SETTINGS, [alpha.definition, beta.definition, definition])
      for (const description of ['one', 'another'])
        createFixtureServer(definition, { tools: [tool('wait', { description })] }, catalog.update).become(
          'running',
        )
      const answer = await pinned.call('/api/v1/tools/gamma:wait/invoke', send('POST', {}))
      expect(answer).toMatchObject({ status: 403, body: { error_code: 'TOOL_BLOCKED' } })
      expect(pinned.sent).toEqual([])
      const { hash } = (await pinned.call('/api/v1/tools/gamma:wait')).body
      await pinned.call('/api/v1/tools/gamma:wait/approve', send('POST', { hash }))
      expect((await pinned.call('/api/v1/tools/gamma:wait')).body.trust).toBe('known')
    } finally {
      await pinned.close()
    }
  })

  test('when there is no such tool, and that is put on record as it was named', async () => {
    expect(await invoke('omega:none')).toMatchObject({ status: 404, body: { error_code: 'TOOL_NOT_FOUND' } })
    expect(api.recorded).toMatchObject([{ target: 'omega:none', outcome: 'TOOL_NOT_FOUND' }])
    expect(api.recorded[0]).not.toHaveProperty('server')
  })

  test('when the tool is not for this caller, as if there were none', async () => {
    api.state.view = { key: 'none', allowsTool: () => false, allows: () => false, mayAllow: () => false }
    const answer = await invoke('alpha:add').finally(() => {
      api.state.view = undefined
    })
    expect(answer).toMatchObject({ status: 404, body: { error_code: 'TOOL_NOT_FOUND' } })
    expect(answer.body.detail).not.toContain('Did you mean')
  })

  test('without the scope before anything is looked for', async () => {
    await api.call('/api/v1/tools/alpha:add/invoke', { ...send('POST', {}), as: POWERLESS })
    expect([api.sent, api.recorded]).toEqual([[], []])
  })
})

const SETTINGS = {
  strategy: 'prefix',
  overrides: [],
  template: '{server_name}_{tool_name}',
  aliases: {},
  versioning: { enabled: false, allowMultiple: false, suffix: '_v{version}' },
  mode: 'full',
} as const
