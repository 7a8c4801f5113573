import { describe, expect, test, vi } from 'vitest'
import { ask, CANARY, collect, environmentFor, openAt, startPeer, textOfEvents } from './models.fixture.ts'

const FOREIGN = 'of-the-process'
const VARIABLES = [
  ...Object.keys(environmentFor('')),
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ENDPOINT_URL',
  'GEMINI_API_KEY',
]
const BEARER = ['authorization', `Bearer ${CANARY}`] as const

describe.each([
  ['openai:gpt-5.4', '/v1/responses', BEARER],
  ['openai-compatible:a/b:c', '/compatible/v1/chat/completions', BEARER],
  ['anthropic:claude-sonnet-4-5', '/v1/messages', ['x-api-key', CANARY]],
  [
    'google:gemini-2.5-pro',
    '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    ['x-goog-api-key', CANARY],
  ],
  ['mistral:mistral-large-latest', '/mistral/v1/chat/completions', BEARER],
  ['groq:openai/gpt-oss-120b', '/openai/v1/chat/completions', BEARER],
  ['amazon-bedrock:us.amazon.nova-pro-v1:0', '/model/us.amazon.nova-pro-v1%3A0/converse-stream', BEARER],
  ['bedrock:us.amazon.nova-pro-v1:0', '/model/us.amazon.nova-pro-v1%3A0/converse-stream', BEARER],
] as const)('%s', (id, path, [header, value]) => {
  test('asks the base URL that was set, with the key that was given, and streams text', async () => {
    // Whatever the process has in its environment, the packages are not to look at it.
    for (const name of VARIABLES) vi.stubEnv(name, FOREIGN)
    try {
      const peer = await startPeer([
        { acts: [{ text: 'Good ' }, { text: 'day' }], usage: { input: 11, output: 3 } },
      ])
      const events = await collect((await openAt(peer, id)).stream(ask({ system: 'Be brief.' })))
      expect(textOfEvents(events)).toBe('Good day')
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
      const [request] = peer.requests
      expect(request).toMatchObject({ method: 'POST', path })
      expect(request?.headers[header]).toBe(value)
      expect(JSON.stringify(request)).not.toContain(FOREIGN)
      expect(JSON.stringify(request?.body)).toContain('Be brief.')
      expect(JSON.stringify(request?.body)).not.toContain(CANARY)
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

test('Bedrock with an access key is signed, with no session of the process', async () => {
  vi.stubEnv('AWS_SESSION_TOKEN', FOREIGN)
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', FOREIGN)
  try {
    const peer = await startPeer([{ acts: [{ text: 'Signed' }] }])
    const environment = {
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: CANARY,
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: peer.url,
    }
    const model = await openAt(peer, 'bedrock:us.amazon.nova-pro-v1:0', { environment })
    expect(textOfEvents(await collect(model.stream(ask())))).toBe('Signed')
    const { authorization } = peer.requests[0]?.headers ?? {}
    expect(authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/bedrock\/aws4_request/,
    )
    expect(JSON.stringify(peer.requests)).not.toMatch(new RegExp(`${CANARY}|${FOREIGN}`))
  } finally {
    vi.unstubAllEnvs()
  }
})

test.each([
  ['openai:m', 'OPENAI_BASE_URL', '', '/v1/responses'],
  ['openai:m', 'OPENAI_BASE_URL', '/v1/', '/v1/responses'],
  ['openai:m', 'OPENAI_BASE_URL', '/proxy', '/proxy/responses'],
  ['anthropic:m', 'ANTHROPIC_BASE_URL', '/v1', '/v1/messages'],
  ['anthropic:m', 'ANTHROPIC_BASE_URL', '/proxy/anthropic', '/proxy/anthropic/v1/messages'],
  ['groq:m', 'GROQ_BASE_URL', '', '/openai/v1/chat/completions'],
  ['ollama:m', 'OLLAMA_BASE_URL', '', '/v1/chat/completions'],
  ['lmstudio:m', 'LMSTUDIO_BASE_URL', '/v1', '/v1/chat/completions'],
  ['vllm:m', 'VLLM_BASE_URL', '/', '/v1/chat/completions'],
])('%s with %s ending in %j asks %s', async (id, variable, ending, path) => {
  const peer = await startPeer({ acts: [{ text: 'Yes' }] })
  const environment = { ...environmentFor(peer.url), [variable]: `${peer.url}${ending}` }
  await collect((await openAt(peer, id, { environment })).stream(ask()))
  expect(peer.requests[0]?.path).toBe(path)
})

test.each([
  ['ollama:m', 'OLLAMA'],
  ['openai-compatible:m', 'OPENAI_COMPATIBLE'],
])('%s sends a key only where there is one', async (id, prefix) => {
  const peer = await startPeer({ acts: [{ text: 'Yes' }] })
  const bare = { [`${prefix}_BASE_URL`]: peer.url }
  await collect((await openAt(peer, id, { environment: bare })).stream(ask()))
  await collect(
    (await openAt(peer, id, { environment: { ...bare, [`${prefix}_API_KEY`]: CANARY } })).stream(ask()),
  )
  expect(peer.requests.map(({ headers }) => headers.authorization)).toStrictEqual([
    undefined,
    `Bearer ${CANARY}`,
  ])
})

test('Anthropic counts what was read from a cache and written to it as part of the prompt', async () => {
  const peer = await startPeer([
    { acts: [{ text: 'Yes' }], usage: { input: 5, output: 3, cacheRead: 70, cacheWrite: 25 } },
  ])
  const events = await collect((await openAt(peer, 'anthropic:claude-sonnet-4-5')).stream(ask()))
  expect(events.at(-1)).toStrictEqual({
    type: 'finish',
    reason: 'stop',
    usage: { promptTokens: 100, completionTokens: 3, cacheReadTokens: 70, cacheWriteTokens: 25 },
  })
})

test.each(['anthropic:claude-sonnet-4-5', 'openai:gpt-5.4', 'openai-compatible:m'])(
  'connections of %s are kept for later requests',
  async (id) => {
    const peer = await startPeer({ acts: [{ text: 'Yes' }] })
    const model = await openAt(peer, id)
    for (let times = 0; times < 5; times++) await collect(model.stream(ask()))
    expect(peer.requests).toHaveLength(5)
    // The client may need a second one: it has the last byte a moment before the connection is free again.
    expect(new Set(peer.requests.map(({ port }) => port)).size).toBeLessThanOrEqual(2)
  },
)
