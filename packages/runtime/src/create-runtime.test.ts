import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentError } from '@quire/agent/agent-error'
import type { Model } from '@quire/agent/model'
import { createKeyStore } from '@quire/kit/auth/issued-keys/key-store'
import { parseRateLimits } from '@quire/kit/rate-limit/rate-limits'
import { verifies } from '@quire/spec/verifies'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { PROMPTING } from './operations.ts'
import { createEndlessModel, createHaltingModel, startRuntime } from './runtime.fixture.ts'

const KEY = 'configured-0123456789'
const AGENTS = '/api/v1/agents'

async function start(...options: Parameters<typeof startRuntime>) {
  const started = await startRuntime(...options)
  onTestFinished(started.close)
  return started
}

describe('who is let in', () => {
  test('everybody, without keys', async () => {
    verifies('RT-AUTH-1')
    const { status, runtime } = await start()
    expect(await status(AGENTS)).toBe(200)
    expect(runtime.isOpen()).toBe(true)
  })

  test('whoever has a key of the configuration', async () => {
    verifies('RT-AUTH-2')
    const { status } = await start({ apiKeys: [KEY] })
    expect(await status(AGENTS)).toBe(401)
    expect(await status(AGENTS, `${KEY}x`)).toBe(401)
    expect(await status(AGENTS, KEY)).toBe(200)
    expect(await status('/api/v1/health')).toBe(200)
  })

  test('a key that is issued counts at once; one that is revoked no more, and its streams end', async () => {
    verifies('RT-AUTH-2', 'RT-AUTH-5', 'RT-AUTH-6')
    const { status, ask, store, runtime } = await start({}, { guide: createEndlessModel() })
    const opened = await ask('POST', `${AGENTS}/guide/prompt`, { body: { message: 'hi' } })
    const keys = await createKeyStore(store, 'runtime')
    const { key, token } = await keys.issue({ name: 'ada' })
    expect(await status(AGENTS)).toBe(401)
    expect(runtime.isOpen()).toBe(false)
    // It was opened without a key, by somebody who would not be let in now.
    expect(await opened.text()).toMatch(/Let me think\..*"type":"error".*"status_code":401.*"type":"done"/s)
    expect(await status(AGENTS, token)).toBe(200)
    const stream = await ask('POST', `${AGENTS}/guide/prompt`, { key: token, body: { message: 'hi' } })
    expect(stream.status).toBe(200)
    await keys.revoke(key.id)
    expect(await stream.text()).toMatch(/Let me think\..*"type":"error".*"status_code":401.*"type":"done"/s)
    expect(await status(AGENTS, token)).toBe(401)
    expect(await status(AGENTS)).toBe(401)
  })
})

test('a turn that failed is logged once, and never with the words of its prompt', async () => {
  const words = 'what the provider repeats of the prompt'
  const guide: Model = {
    ...createEndlessModel(),
    stream: () => {
      throw new AgentError('refused', `It says: ${words}.`)
    },
  }
  const { ask, log } = await start({}, { guide })
  for (const path of [`${AGENTS}/guide/prompt/sync`, '/api/v1/mcp-ui/chat/guide']) {
    const answer = await ask('POST', path, { body: { message: words } })
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { detail: `It says: ${words}.`, status_code: 502 },
    ])
    expect(answer.headers.get('x-conversation-id')).toMatch(/./)
    expect(log.filter((line) => line.includes('"level":"warn"') && line.includes('failed'))).toHaveLength(1)
    expect(log.join('')).not.toContain(words)
    log.length = 0
  }
})

describe('limits', () => {
  const limited = (text: string, apiKeys: readonly string[] = []) =>
    start({ rateLimits: parseRateLimits(text), apiKeys })

  test('are of one operation, and say when to come again', async () => {
    verifies('RT-RATE-1', 'RT-RATE-2', 'RT-RATE-3', 'RT-RATE-5')
    const { ask, status } = await limited('listAgents=2/m,default=3/m')
    expect([await status(AGENTS), await status(AGENTS)]).toEqual([200, 200])
    const refused = await ask('GET', AGENTS)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('"listAgents";q=2;w=60')
    expect(await refused.json()).toEqual({ detail: expect.any(String), status_code: 429 })
    const others = [`${AGENTS}/guide`, '/api/v1/conversations', '/metrics', `${AGENTS}/guide`]
    const answers: number[] = []
    for (const path of others) answers.push(await status(path))
    expect(answers).toEqual([200, 200, 200, 429])
    expect(await status('/api/v1/health')).toBe(200)
  })

  test('of prompts hold at every door', async () => {
    const { ask } = await limited('prompt=1/m,chatMcpUi=1/m')
    const message = { message: 'help' }
    const text = [{ type: 'text', text: 'help' }]
    const parts = [{ text: 'help' }]
    const doors: readonly (readonly [string, object, number])[] = [
      ['agents/guide/prompt/sync', message, 200],
      ['agents/guide/prompt', message, 429],
      ['mcp-ui/stream/guide', message, 429],
      ['a2ui/agents/guide', message, 429],
      ['ag-ui/guide', { threadId: 't', runId: 'r', messages: [{ role: 'user', content: 'help' }] }, 429],
      ['vercel-ai/guide', { id: 't', messages: [{ role: 'user', parts: text }] }, 429],
      [
        'a2a/agents/guide',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: { message: { messageId: 'm', role: 'ROLE_USER', parts } },
        },
        429,
      ],
      ['mcp-ui/chat/guide', message, 200],
    ]
    const answers: unknown[] = []
    for (const [path, body] of doors) {
      const answer = await ask('POST', `/api/v1/${path}`, { body })
      answers.push([path, body, answer.status])
      await answer.body?.cancel()
    }
    expect(answers).toEqual(doors)
    expect(doors).toHaveLength(PROMPTING.length)
  })

  test('count for each key', async () => {
    verifies('RT-RATE-4')
    const other = 'another-0123456789abc'
    const { status } = await limited('default=1/m', [KEY, other])
    expect([await status(AGENTS, KEY), await status(AGENTS, KEY)]).toEqual([200, 429])
    expect([await status(AGENTS, other), await status(AGENTS, other)]).toEqual([200, 429])
  })

  test('are off unless they are set', async () => {
    verifies('RT-RATE-6')
    const { ask } = await start()
    const answer = await ask('GET', AGENTS)
    expect(answer.headers.get('ratelimit')).toBeNull()
    for (let count = 0; count < 30; count += 1) expect((await ask('GET', AGENTS)).status).toBe(200)
  })

  test('of operations that there are not are refused, with those that there are', async () => {
    verifies('RT-RATE-3')
    const error = await limited('promptAgents=1/m,health=1/m,default=1/m').catch(String)
    expect(error).toMatch(
      /--rate-limit \("promptAgents"\): is no operation that can be limited: use .*promptAgent,/,
    )
    expect(error).toMatch(/"health"/)
    expect(error).not.toMatch(/"default"\)/)
  })
})

describe('a database', () => {
  let folder: string
  let url: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-runtime-'))
    url = `sqlite:${join(folder, 'quire.db')}`
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('has one agent at first, who stays away once it is deleted', async () => {
    const first = await startRuntime({}, { url })
    try {
      expect(await (await first.ask('GET', `${AGENTS}/guide`)).json()).toMatchObject({
        model: 'builtin:guide',
        mcp_toolsets: ['*'],
      })
      await first.ask('DELETE', `${AGENTS}/guide`)
    } finally {
      await first.close()
    }
    const { ask } = await start({}, { url })
    expect(await (await ask('GET', AGENTS)).json()).toEqual({ agents: [] })
  })

  test.each([
    [undefined, 1],
    [1, 1],
    [1e-9, 0],
  ])('keeps conversations for %s days', async (keepConversationsDays, left) => {
    verifies('RT-CONV-14', 'RT-CONV-15')
    const first = await startRuntime({}, { url })
    try {
      await first.ask('POST', `${AGENTS}/guide/prompt/sync`, { body: { message: 'help' } })
    } finally {
      await first.close()
    }
    const { ask } = await start({ keepConversationsDays }, { url })
    const total = async () => (await read(await ask('GET', '/api/v1/conversations'))).total
    await expect.poll(total).toBe(left)
  })
})

test.each([
  [{ defaultModel: 'nobody:x' }, '--model'],
  [{ requiredToolsets: ['files'] }, '--require-toolset'],
])('it does not start with %j', async (options, setting) => {
  expect(await start(options).catch(String)).toContain(`ConfigError: ${setting}`)
})

test('programs of toolsets are lost without taking anything with them, and their secrets stay secret', async () => {
  verifies('RT-HEALTH-4', 'RT-TOOLSET-11', 'RT-CONFIG-2')
  const secret = 'canary-0123456789'
  const script = `console.error(process.env.TOKEN); process.exit(1)`
  const target = {
    type: 'stdio' as const,
    command: process.execPath,
    args: ['-e', script],
    env: { TOKEN: secret },
  }
  const { ask, log } = await start({ toolsets: new Map([['broken', target]]), requiredToolsets: ['broken'] })
  const get = async (path: string) => (await ask('GET', `/api/v1/${path}`)).text()
  expect((await ask('GET', '/api/v1/ready')).status).toBe(503)
  await expect
    .poll(async () => JSON.parse(await get('configure/mcp-toolsets-status')))
    .toMatchObject({
      initialized: true,
      ready_count: 0,
      total_count: 1,
      servers: { broken: { ready: false, tools: [], error: expect.stringContaining('broken') } },
    })
  const shown = [
    await get('configure/config'),
    await get('configure/mcp-toolsets-status'),
    await get('configure/mcp-toolsets-info'),
    await get('ready'),
    ...log,
  ].join('\n')
  expect(shown).toContain('"transport":"stdio"')
  expect(shown).not.toContain(secret)
  const answer = await ask('POST', `${AGENTS}/guide/prompt/sync`, { body: { message: 'help' } })
  expect(answer.status).toBe(200)
})

test('a prompt to a provider without a key says so, and the agent is there all the same', async () => {
  verifies('RT-AGENT-21', 'RT-AGENT-22')
  const { ask } = await start()
  const made = await ask('POST', AGENTS, { body: { name: 'Keyless', model: 'openai:gpt-5' } })
  expect(made.status).toBe(201)
  const complete = await ask('POST', `${AGENTS}/keyless/prompt/sync`, { body: { message: 'hi' } })
  expect(complete.status).toBeGreaterThanOrEqual(400)
  const { detail, status_code } = await read(complete)
  expect(detail).toContain('OPENAI_API_KEY')
  expect(status_code).toBe(complete.status)
  const stream = await ask('POST', `${AGENTS}/keyless/prompt`, { body: { message: 'hi' } })
  const frames = [...(await stream.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    JSON.parse(data),
  )
  expect(frames).toContainEqual({ type: 'error', detail, status_code })
  expect(frames.at(-1)).toEqual({ type: 'done' })
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
function read(response: Response): Promise<any> {
  return response.json()
}

describe('agents and their turns', () => {
  test('an agent that is deleted leaves its conversations, whose turns are cancelled', async () => {
    verifies('RT-AGENT-9', 'RT-AGENT-10')
    const { ask } = await start({}, { guide: createEndlessModel() })
    const body = { message: 'hi', conversation_id: 'kept' }
    const opened = await ask('POST', `${AGENTS}/guide/prompt`, { body })
    expect((await ask('DELETE', `${AGENTS}/guide`)).status).toBe(200)
    expect(await opened.text()).toContain('"status_code":409')
    const kept = await ask('GET', '/api/v1/conversations/kept')
    expect(await kept.json()).toMatchObject({ id: 'kept', agent_id: 'guide', status: 'cancelled' })
  })

  test('a prompt is answered in the frames of the specification, whatever the transport of the agent', async () => {
    verifies('RT-TRANSPORT-1')
    const { ask } = await start()
    for (const transport of ['streaming', 'ag-ui', 'vercel-ai', 'a2a']) {
      const created = await ask('POST', AGENTS, { body: { name: transport, transport } })
      expect(created.status).toBe(201)
      const stream = await ask('POST', `${AGENTS}/${transport}/prompt`, { body: { message: 'help' } })
      expect((await stream.text()).trimEnd()).toMatch(
        /data: \{"type":"text","content":[\s\S]*data: \{"type":"done"\}$/,
      )
    }
  })

  test('ids are drawn at random, and never twice', async () => {
    verifies('ALL-DATA-1')
    const { ask } = await start()
    const seen = new Set<string>()
    for (let count = 0; count < 20; count += 1) {
      const answer = await ask('POST', `${AGENTS}/guide/prompt/sync`, { body: { message: 'help' } })
      const id = answer.headers.get('x-conversation-id') ?? ''
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      seen.add(id)
    }
    expect(seen.size).toBe(20)
  })

  test('a client that leaves after any frame misses none of them', async () => {
    verifies('RT-PROMPT-11', 'RT-PROMPT-14')
    const { ask, url } = await start({}, { guide: createHaltingModel() })
    const whole = framesIn(
      await (await ask('POST', `${AGENTS}/guide/prompt`, { body: { message: 'hi' } })).text(),
    )
    expect(whole.map(({ type }) => type)).toEqual([
      ...['text', 'text', 'text', 'tool_call', 'tool_result', 'text', 'text', 'usage', 'done'],
    ])
    for (let count = 1; count < whole.length; count += 1) {
      const conversation = `left-after-${count}`
      const left = new AbortController()
      const opened = await fetch(`${url}${AGENTS}/guide/prompt`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'hi', conversation_id: conversation }),
        signal: left.signal,
      })
      let seen = ''
      for await (const chunk of opened.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        seen += chunk
        if (framesIn(seen).length >= count) break
      }
      left.abort()
      const before = framesIn(seen).slice(0, count)
      const headers = { 'last-event-id': before.at(-1)?.id ?? '' }
      const rest = await fetch(`${url}/api/v1/conversations/${conversation}/stream`, { headers })
      const all = [...before, ...framesIn(await rest.text())]
      expect(shapeOf(all), conversation).toEqual(shapeOf(whole))
    }
  })
})

interface SeenFrame {
  readonly id: string
  readonly type: string
  readonly content?: string
}

function framesIn(text: string): SeenFrame[] {
  return [...text.matchAll(/id: (.*)\ndata: (.*)\n\n/g)].map(([, id = '', data = '']) => ({
    ...JSON.parse(data),
    id,
  }))
}

/** However a text was cut. */
function shapeOf(frames: readonly SeenFrame[]): string {
  return frames.map(({ type, content }) => content ?? `<${type}>`).join('')
}
