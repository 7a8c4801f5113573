import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { AgentError } from '../agent-error.ts'
import { CANARY, GUIDE } from './models.fixture.ts'
import { createModels } from './models.ts'

function openWith(id: string, environment: Record<string, string | undefined> = {}) {
  return createModels({ environment, guide: GUIDE }).open(id)
}

async function refusalOf(
  id: string,
  environment: Record<string, string | undefined> = {},
): Promise<AgentError> {
  const error = await openWith(id, environment).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AgentError)) throw new Error(`${id} was not refused as it should be: ${error}`)
  return error
}

test('the guide needs nothing', async () => {
  expect(await openWith('builtin:guide')).toBe(GUIDE)
})

test.each([
  ['openai:gpt-5.4', ['OPENAI_API_KEY']],
  ['anthropic:claude-sonnet-4-5', ['ANTHROPIC_API_KEY']],
  ['google:gemini-2.5-pro', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']],
  ['mistral:mistral-large-latest', ['MISTRAL_API_KEY']],
  ['groq:openai/gpt-oss-120b', ['GROQ_API_KEY']],
  [
    'amazon-bedrock:us.amazon.nova-pro-v1:0',
    ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'],
  ],
  ['bedrock:us.amazon.nova-pro-v1:0', ['AWS_BEARER_TOKEN_BEDROCK']],
  ['openai-compatible:any', ['OPENAI_COMPATIBLE_BASE_URL']],
])('%s without its variables is refused, and told what to set', async (id, variables) => {
  const unset = Object.fromEntries(variables.map((name, at) => [name, at === 0 ? '  ' : undefined]))
  const { fault, message } = await refusalOf(id, unset)
  expect(fault).toBe('unconfigured')
  for (const variable of variables) expect(message).toContain(variable)
  expect(message).toContain('builtin:guide')
})

test.each([
  'gpt-5.4',
  '',
  ':',
  ':gpt',
  'nobody:model',
  'OPENAI:gpt-5.4',
  'builtin:other',
  'openai',
  'openai:',
  'openai:*',
  '__proto__:x',
  'constructor:x',
  'toString:x',
  `${'x'.repeat(10_000)}:y`,
])('the id %j is no model', async (id) => {
  const { fault, message } = await refusalOf(id, { OPENAI_API_KEY: CANARY })
  expect(fault).toBe('unknown_model')
  expect(message.length).toBeLessThan(400)
})

test('an unknown provider is answered with the known ones', async () => {
  const { message } = await refusalOf('nobody:model')
  for (const name of ['openai', 'anthropic', 'google', 'mistral', 'amazon-bedrock', 'groq', 'ollama', 'vllm'])
    expect(message).toContain(name)
})

test.each([
  `http://${CANARY}@127.0.0.1/v1`,
  `http://user:${CANARY}@127.0.0.1/v1`,
  `https://example.com/v1?key=${CANARY}`,
  `https://example.com/v1#${CANARY}`,
  `ftp://example.com/${CANARY}`,
  `file:///${CANARY}`,
  `not an address ${CANARY}`,
  `127.0.0.1:8000/${CANARY}`,
])('the base URL %j is refused by its variable, not by its value', async (url) => {
  const { fault, message } = await refusalOf('openai:gpt-5.4', {
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: url,
  })
  expect(fault).toBe('unconfigured')
  expect(message).toContain('OPENAI_BASE_URL')
  expect(message).not.toContain(CANARY)
})

test.each([`${CANARY}\nx`, `${CANARY} x`, `${CANARY}é`, `${CANARY}\u0000`])(
  'the key %j is refused by its variable',
  async (key) => {
    const { fault, message } = await refusalOf('openai:gpt-5.4', { OPENAI_API_KEY: key })
    expect(fault).toBe('unconfigured')
    expect(message).toContain('OPENAI_API_KEY')
    expect(message).not.toContain(CANARY)
  },
)

test.each(['a/b', 'x@evil.example', 'eu-west-1.evil.example#'])(
  'the region %j makes no other host',
  async (region) => {
    const keys = { AWS_BEARER_TOKEN_BEDROCK: CANARY, AWS_REGION: region }
    expect((await refusalOf('bedrock:m', keys)).fault).toBe('unconfigured')
  },
)

describe('the list', () => {
  test('says of each model whether it can be used, and what it needs, in names alone', () => {
    const list = createModels({ environment: { ANTHROPIC_API_KEY: CANARY }, guide: GUIDE }).list()
    const byId = new Map(list.map((listing) => [listing.id, listing]))
    expect(byId.get('builtin:guide')).toMatchObject({ available: true, requires: [] })
    expect(byId.get('anthropic:*')).toMatchObject({ available: true, requires: ['ANTHROPIC_API_KEY'] })
    expect(byId.get('openai:*')).toMatchObject({ available: false, requires: ['OPENAI_API_KEY'] })
    expect(byId.get('ollama:*')).toMatchObject({ available: true, requires: [] })
    expect(byId.get('openai-compatible:*')?.requires).toStrictEqual(['OPENAI_COMPATIBLE_BASE_URL'])
    expect(JSON.stringify(list)).not.toContain(CANARY)
    expect(byId.size).toBe(list.length)
  })

  test('names models that can be opened', async () => {
    const environment = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      GEMINI_API_KEY: 'k',
      MISTRAL_API_KEY: 'k',
      GROQ_API_KEY: 'k',
      AWS_BEARER_TOKEN_BEDROCK: 'k',
      AWS_REGION: 'eu-west-1',
      OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9',
    }
    const models = createModels({ environment, guide: GUIDE })
    const ids = models
      .list()
      .filter(({ available }) => available)
      .map(({ id }) => id.replace('*', 'any'))
    const opened = await Promise.all(ids.map((id) => models.open(id)))
    expect(opened.map(({ id }) => id)).toStrictEqual(ids)
  })
})

test('a model that the table of prices knows has a cost and a window, another has none', async () => {
  const known = await openWith('anthropic:claude-sonnet-4-5', { ANTHROPIC_API_KEY: 'k' })
  expect(known.contextWindow).toBe(200_000)
  expect(known.cost({ promptTokens: 1_000, completionTokens: 100 })).toBeCloseTo(0.0045)
  const cached = { promptTokens: 1_000, completionTokens: 100, cacheReadTokens: 900 }
  expect(known.cost(cached)).toBeCloseTo(0.00207)
  const unknown = await openWith('openai:no-such-model', { OPENAI_API_KEY: 'k' })
  expect(unknown).toMatchObject({ contextWindow: undefined })
  expect(unknown.cost(cached)).toBeUndefined()
  expect((await openWith('ollama:gpt-5.4')).cost(cached)).toBeUndefined()
  const local = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' }
  expect((await openWith('openai-compatible:gpt-5.4', local)).cost(cached)).toBeUndefined()
})

test.each([
  ['builtin:guide', true],
  ['anthropic:claude-sonnet-4-5', true],
  ['google:gemini-2.5-pro', true],
  ['bedrock:us.amazon.nova-pro-v1:0', true],
  ['openai:no-such-model', false],
  ['openai-compatible:gpt-5.4', false],
  ['ollama:gpt-5.4', false],
  ['vllm:claude-sonnet-4-5', false],
])('whether the price of %s is known (%s) does not take a key', async (id, isPriced) => {
  expect(await createModels({ environment: {}, guide: GUIDE }).isPriced(id)).toBe(isPriced)
})

test.each(['gpt-5.4', 'nobody:x', 'openai:', 'openai:*', 'builtin:other'])(
  '%j is no model to know the price of',
  async (id) => {
    const models = createModels({ environment: {}, guide: GUIDE })
    await expect(models.isPriced(id)).rejects.toMatchObject({ fault: 'unknown_model' })
  },
)

test('nothing of a provider is loaded before it is opened, and then nothing of the others', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ resolve(specifier, context, next) {
      const found = /^(@ai-sdk|@pydantic)\\/[^/]+/.exec(specifier)
      if (found) seen.add(found[0])
      return next(specifier, context)
    } })
    const { createModels } = await import(${JSON.stringify(new URL('models.ts', import.meta.url).href)})
    const models = createModels({ environment: { MISTRAL_API_KEY: 'k' }, guide: {} })
    models.list()
    await models.open('openai:gpt').catch(() => 'no key')
    const before = [...seen]
    await models.open('ollama:any')
    const local = [...seen]
    await models.open('mistral:any')
    console.log(JSON.stringify({ before, local, after: [...seen].sort() }))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 30_000,
  })
  expect(JSON.parse(stdout)).toStrictEqual({
    before: [],
    local: [],
    after: ['@ai-sdk/mistral', '@ai-sdk/provider', '@ai-sdk/provider-utils', '@pydantic/genai-prices'],
  })
})

test.each([
  'google:../../../../evil?x=',
  'google:a/../../b',
  'google:..',
  'google:./b',
  'google:a/..',
  'google:a%2f..%2fb',
  'google:x#y',
  'google:x?y=1',
  'google:a\\..\\b',
  'google:a b',
  'google:a\tb',
  'google:a\nb',
  'google:a\0b',
  'google:a\u00a0b',
  'google:a\u200bb',
  'openai-compatible:../x',
  'openai:..',
])('%j leads out of the path of its provider, and is no model', async (id) => {
  const models = createModels({ environment: {}, guide: GUIDE })
  const refusal = { fault: 'unknown_model', message: expect.stringContaining('is no name of a model') }
  await expect(models.open(id)).rejects.toMatchObject(refusal)
  await expect(models.isPriced(id)).rejects.toMatchObject(refusal)
})

test.each([
  'openrouter/anthropic/claude-sonnet-4.5:free',
  'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0',
  'publishers/google/models/gemini-2.5-pro@001',
  'org/model..v2',
  'ft:gpt-4o-mini:my-org:custom_suffix:id',
  '@cf/meta/llama-3.1-8b-instruct',
])('%s is a name', async (name) => {
  const environment = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }
  expect(await openWith(`openai-compatible:${name}`, environment)).toMatchObject({
    id: `openai-compatible:${name}`,
  })
})
