import type { Fault } from '@quire/testbed/model-peer/script'
import { describe, expect, test } from 'vitest'
import type { AgentFault } from '../agent-error.ts'
import {
  ask,
  CANARY,
  collect,
  createTestClock,
  failAt,
  openAt,
  startPeer,
  textOfEvents,
} from './models.fixture.ts'

const OPENAI = 'openai:gpt-5.4'
const COMPATIBLE = 'openai-compatible:some/model:7b'
const ANTHROPIC = 'anthropic:claude-sonnet-4-5'
const IDS = [OPENAI, COMPATIBLE, ANTHROPIC]
const KEY_VARIABLES: Readonly<Record<string, string>> = {
  [OPENAI]: 'OPENAI_API_KEY',
  [COMPATIBLE]: 'OPENAI_COMPATIBLE_API_KEY',
  [ANTHROPIC]: 'ANTHROPIC_API_KEY',
}

/** The error body of each provider, as published. */
function faultOf(id: string, status: number, message: string, code: string, headers = {}): Fault {
  const error = { type: code, message }
  return {
    status,
    headers,
    body: id === ANTHROPIC ? { type: 'error', error } : { error: { ...error, param: null, code } },
  }
}

const TOO_LONG: Readonly<Record<string, readonly [string, string]>> = {
  [OPENAI]: ['Your input exceeds the context window of this model.', 'context_length_exceeded'],
  [COMPATIBLE]: ["This model's maximum context length is 4096 tokens.", 'BadRequestError'],
  [ANTHROPIC]: ['prompt is too long: 210000 tokens > 200000 maximum', 'invalid_request_error'],
}

describe.each(IDS)('%s', (id) => {
  const fail = (script: Parameters<typeof failAt>[1], options?: Parameters<typeof failAt>[2]) =>
    failAt(id, script, options)

  const said = `The provider's own words about ${CANARY} and sk-proj-abcdefgh123`
  test.each<[number, string, AgentFault, boolean]>([
    [400, 'invalid_request_error', 'refused', false],
    [401, 'authentication_error', 'unconfigured', false],
    [403, 'permission_error', 'unconfigured', false],
    [404, 'not_found_error', 'unknown_model', false],
    [402, 'billing_error', 'refused', false],
    [413, 'request_too_large', 'too_long', false],
    [422, 'unprocessable', 'refused', false],
    [429, 'rate_limit_error', 'rate_limited', true],
    [429, 'insufficient_quota', 'rate_limited', false],
    [500, 'api_error', 'unavailable', true],
    [503, 'overloaded', 'unavailable', true],
    [529, 'overloaded_error', 'unavailable', true],
  ])('status %i %s is %s', async (status, code, fault, isRetryable) => {
    const { error } = await fail([faultOf(id, status, said, code)])
    expect(error).toMatchObject({ fault, isRetryable })
    expect(error.message).toContain("The provider's own words about ***")
    expect(error.message).not.toContain('abcdefgh123')
  })

  test('a key that is not accepted is named by its variable', async () => {
    const { error } = await fail([
      faultOf(id, 401, `Incorrect API key provided: ${CANARY}`, 'invalid_api_key'),
    ])
    expect(error.message).toContain(KEY_VARIABLES[id])
    expect(error.message).toContain('builtin:guide')
  })

  test('a conversation past the window is told from other refusals', async () => {
    const [message, code] = TOO_LONG[id] ?? ['', '']
    const { error } = await fail([faultOf(id, 400, message, code)])
    expect(error.fault).toBe('too_long')
  })

  test('the words of a provider are cut', async () => {
    const { error } = await fail([faultOf(id, 400, 'x'.repeat(9_000), 'invalid_request_error')])
    expect(error.message.length).toBeLessThan(700)
  })

  test.each(['<html>502 Bad Gateway</html>', '', '{"detail":"down"}', '[]', 'null'])(
    'an error body %j is no trouble',
    async (body) => {
      expect((await fail([{ status: 502, body }])).error.fault).toBe('unavailable')
    },
  )

  test('a redirect is not followed: the key stays here', async () => {
    const other = await startPeer({ acts: [{ text: 'caught' }] })
    const { error } = await fail([
      { status: 307, headers: { location: `${other.url}/v1/messages` }, body: '' },
    ])
    expect(error.fault).toBe('unavailable')
    expect(error.message).toContain('redirect')
    expect(other.requests).toHaveLength(0)
  })

  test('after 429 it waits as long as it is asked to, and then succeeds', async () => {
    const clock = createTestClock()
    const limited = (headers: Record<string, string>) =>
      faultOf(id, 429, 'slow down', 'rate_limit_error', headers)
    const peer = await startPeer([
      limited({ 'retry-after': '7' }),
      limited({ 'retry-after-ms': '1234' }),
      limited({ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }),
      { acts: [{ text: 'At last' }] },
    ])
    const events = await collect((await openAt(peer, id, { retries: 3, clock })).stream(ask()))
    expect(textOfEvents(events)).toBe('At last')
    expect(clock.waits).toStrictEqual([7_000, 1_234, 30_000])
  })

  test('429 for ever is given up, with growing waits between', async () => {
    const clock = createTestClock()
    const { error, peer } = await fail(faultOf(id, 429, 'slow down', 'rate_limit_error'), {
      retries: 3,
      clock,
      random: () => 0.5,
    })
    expect(error).toMatchObject({ fault: 'rate_limited' })
    expect(error.message).toContain('asked 4 times')
    expect(peer.requests).toHaveLength(4)
    expect(clock.waits).toStrictEqual([500, 1_000, 2_000])
  })

  test('a wait beyond a minute is left to the caller', async () => {
    const clock = createTestClock()
    const { error, peer } = await fail(
      [faultOf(id, 429, 'slow down', 'rate_limit_error', { 'retry-after': '3600' })],
      { retries: 3, clock },
    )
    expect(error).toMatchObject({ fault: 'rate_limited', retryAfterMs: 3_600_000 })
    expect(error.message).toContain('in 3600 seconds')
    expect(peer.requests).toHaveLength(1)
    expect(clock.waits).toStrictEqual([])
  })

  test('what cannot be mended is asked once', async () => {
    const clock = createTestClock()
    const { peer } = await fail(faultOf(id, 400, 'no', 'invalid_request_error'), { retries: 3, clock })
    expect(peer.requests).toHaveLength(1)
  })

  test('an abort ends the wait for another try at once', async () => {
    const peer = await startPeer(faultOf(id, 429, 'slow down', 'rate_limit_error', { 'retry-after': '60' }))
    const abort = new AbortController()
    const reading = collect((await openAt(peer, id, { retries: 3 })).stream(ask({ signal: abort.signal })))
    await expect.poll(() => peer.requests.length).toBe(1)
    expect(await peer.requests[0]?.isHungUp).toBe(false)
    abort.abort()
    await expect(reading).rejects.toThrow('aborted')
  })
})

test.each<[string, string, number, unknown, AgentFault]>([
  [
    'mistral:m',
    'an unknown model',
    400,
    { object: 'error', message: 'Invalid model: m', type: 'invalid_model', code: '1500' },
    'unknown_model',
  ],
  [
    'mistral:m',
    'a long prompt',
    400,
    { message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length' },
    'too_long',
  ],
  [
    'groq:m',
    'an unknown model',
    404,
    { error: { message: 'The model `m` does not exist', code: 'model_not_found' } },
    'unknown_model',
  ],
  [
    'groq:m',
    'a long prompt',
    400,
    { error: { message: 'Please reduce the length of the messages or completion.' } },
    'too_long',
  ],
  [
    'google:m',
    'a wrong key',
    400,
    {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      },
    },
    'unconfigured',
  ],
  [
    'google:m',
    'a long prompt',
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    },
    'too_long',
  ],
  [
    'bedrock:m',
    'an unknown model',
    400,
    { message: 'The provided model identifier is invalid.' },
    'unknown_model',
  ],
  ['bedrock:m', 'a long prompt', 400, { message: 'Input is too long for requested model.' }, 'too_long'],
  [
    'bedrock:m',
    'no access',
    403,
    { message: 'The security token included in the request is invalid.' },
    'unconfigured',
  ],
  [
    'bedrock:m',
    'throttling',
    429,
    { message: 'Too many requests, please wait before trying again.' },
    'rate_limited',
  ],
  ['openai-compatible:m', 'a plain word', 400, { error: 'does not support tools' }, 'refused'],
  ['openai-compatible:m', 'a detail', 422, { detail: 'bad' }, 'refused'],
])('%s: %s (%i) in its own words is known', async (id, _, status, body, fault) => {
  const { error } = await failAt(id, [{ status, body: Object(body) }])
  expect(error.fault).toBe(fault)
  expect(error.message).not.toContain('did not say why')
})

test('the delay that Google asks for in its body is honoured', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' }]
  const body = { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details } }
  const { error } = await failAt('google:gemini-2.5-pro', [{ status: 429, body }])
  expect(error).toMatchObject({ fault: 'rate_limited', retryAfterMs: 3_500 })
})
