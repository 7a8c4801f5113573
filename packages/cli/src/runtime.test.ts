import { readFileSync, statSync } from 'node:fs'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isAlive, POLL } from './composer.fixture.ts'
import {
  createRuntimeFolder,
  type RunningRuntime,
  type RuntimeFolder,
  readFrames,
  startRuntime,
  textIn,
} from './runtime.fixture.ts'
import { readVersion } from './version.ts'

let folder: RuntimeFolder
let runtime: RunningRuntime
beforeAll(async () => {
  folder = await createRuntimeFolder({ sample: true })
  runtime = await startRuntime(folder)
  await vi.waitUntil(async () => {
    const status = await runtime.read('configure/mcp-toolsets-status')
    return status.servers.sample.ready
  }, POLL)
})
afterAll(async () => {
  await runtime?.stop('SIGKILL')
  await folder?.remove()
})

const PROMPT = 'agents/guide/prompt'
const WAIT = (steps: number) => `call sample__wait with {"steps": ${steps}}`
const statusOf = async (id: string) => (await runtime.read(`conversations/${id}`)).status

describe('a fresh machine', () => {
  test('has an agent that answers without a key', async () => {
    verifies('RT-SVC-2', 'RT-AUTH-1', 'RT-PROMPT-2', 'RT-PROMPT-4', 'RT-HEALTH-2')
    const asked = await runtime.ask('POST', `${PROMPT}/sync`, {
      body: { message: 'call sample__add with {"a": 2, "b": 3}' },
    })
    // biome-ignore lint/suspicious/noExplicitAny: looked into below
    const answer: any = await asked.json()
    expect(answer.response).toContain('5')
    expect(answer.tool_calls).toMatchObject([
      { name: 'sample__add', args: { a: 2, b: 3 }, result: { structuredContent: { sum: 5 } } },
    ])
    expect(answer.usage).toMatchObject({
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
    })
    const { version } = await runtime.read('health')
    expect(version).toBe(readVersion())
  })

  test('keeps what it is told in one file, for this user alone', () => {
    expect(statSync(folder.file('quire.db')).mode & 0o777).toBe(0o600)
  })

  test('streams the frames of the specification', async () => {
    verifies(
      'RT-PROMPT-1',
      'RT-PROMPT-7',
      'RT-FRAME-5',
      'RT-FRAME-6',
      'RT-FRAME-9',
      'RT-FRAME-7',
      'RT-FRAME-8',
    )
    const body = { message: 'call sample__add with {"a": 1, "b": 1}', conversation_id: 'mine' }
    const response = await runtime.ask('POST', PROMPT, { body })
    expect(response.headers.get('x-conversation-id')).toBe('mine')
    const frames = await readFrames(response)
    const types = frames.map(({ frame }) => frame.type)
    expect(types.filter((type) => type !== 'text')).toEqual(['tool_call', 'tool_result', 'usage', 'done'])
    const [call, result] = ['tool_call', 'tool_result'].map((type) =>
      frames.find(({ frame }) => frame.type === type),
    )
    expect(result?.frame.tool_call_id).toBe(call?.frame.id)
    expect(frames.at(-1)?.frame).toEqual({ type: 'done' })
    const conversation = await runtime.read('conversations/mine')
    expect(conversation).toMatchObject({ id: 'mine', agent_id: 'guide', status: 'idle' })
    expect(conversation.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    const said = conversation.messages.map(({ role, content }: { role: string; content: string }) =>
      role === 'assistant' ? content : '',
    )
    expect(said.join('')).toBe(textIn(frames))
  })
})

describe('a client that goes away', () => {
  test('comes back, and has every frame once', async () => {
    verifies('RT-PROMPT-11', 'RT-PROMPT-14', 'RT-PROMPT-10')
    const left = new AbortController()
    const body = { message: WAIT(30), conversation_id: 'resumed' }
    const first = await runtime.ask('POST', PROMPT, { body, signal: left.signal })
    const before = await readFrames(first, ({ frame }) => frame.type === 'tool_call')
    left.abort()
    expect(await statusOf('resumed')).toBe('running')
    expect((await runtime.ask('POST', PROMPT, { body })).status).toBe(409)
    const stream = 'conversations/resumed/stream'
    const headers = { 'last-event-id': before.at(-1)?.id ?? '' }
    const after = await readFrames(await runtime.ask('GET', stream, { headers }))
    const types = [...before, ...after].map(({ frame }) => frame.type)
    expect(types.filter((type) => type !== 'text')).toEqual(['tool_call', 'tool_result', 'usage', 'done'])
    expect(textIn([...before, ...after])).toContain('waited')
    expect(new Set([...before, ...after].map(({ id }) => id)).size).toBe(types.length)
    const last = { 'last-event-id': after.at(-1)?.id ?? '' }
    expect((await runtime.ask('GET', stream, { headers: last })).status).toBe(204)
    expect((await runtime.ask('GET', stream)).status).toBe(204)
  })

  test('finds the answer though nobody listened', async () => {
    verifies('RT-PROMPT-11')
    const left = new AbortController()
    const body = { message: WAIT(4), conversation_id: 'alone' }
    const first = await runtime.ask('POST', PROMPT, { body, signal: left.signal })
    const [seen] = await readFrames(first, () => true)
    left.abort()
    await expect.poll(() => statusOf('alone'), POLL).toBe('idle')
    const headers = { 'last-event-id': seen?.id ?? '' }
    const rest = await readFrames(await runtime.ask('GET', 'conversations/alone/stream', { headers }))
    expect(textIn(rest)).toContain('waited')
    expect(rest.at(-1)?.frame).toEqual({ type: 'done' })
  })

  test.each(['prompt', 'prompt/sync'])('takes its turn of %s with it where it said so', async (kind) => {
    verifies('RT-PROMPT-12')
    const left = new AbortController()
    const conversation_id = `cancelled-${kind.length}`
    const body = { message: WAIT(10_000), conversation_id, on_disconnect: 'cancel' }
    const asked = runtime.ask('POST', `agents/guide/${kind}`, { body, signal: left.signal })
    await expect.poll(() => statusOf(conversation_id), POLL).toBe('running')
    left.abort()
    await expect(asked.then((response) => response.text())).rejects.toThrow()
    await expect.poll(() => statusOf(conversation_id), POLL).toBe('cancelled')
  })
})

test('a turn is cancelled, and whoever reads it is told', async () => {
  verifies('RT-PROMPT-13')
  const body = { message: WAIT(10_000), conversation_id: 'stopped' }
  const stream = await runtime.ask('POST', PROMPT, { body })
  const frames = readFrames(stream)
  await expect.poll(() => statusOf('stopped'), POLL).toBe('running')
  expect((await runtime.ask('POST', 'conversations/stopped/cancel')).status).toBe(200)
  expect((await frames).at(-1)?.frame).toEqual({ type: 'done' })
  expect(await statusOf('stopped')).toBe('cancelled')
})

test('a person decides, and the turn goes on', async () => {
  verifies('RT-FRAME-11')
  const agent = { id: 'careful', name: 'Careful', tool_approval: true, mcp_toolsets: ['sample'] }
  expect((await runtime.ask('POST', 'agents', { body: agent })).status).toBe(201)
  const body = { message: 'call sample__add with {"a": 1, "b": 1}', conversation_id: 'decided' }
  const asked = await readFrames(await runtime.ask('POST', 'agents/careful/prompt', { body }))
  const request = asked.find(({ frame }) => frame.type === 'approval_request')
  expect(await statusOf('decided')).toBe('waiting')
  const decision = { approved: true, args: { a: 20, b: 22 } }
  const path = `conversations/decided/approvals/${request?.frame.id}`
  const decided = await runtime.ask('POST', path, { body: decision })
  expect(await decided.json()).toMatchObject({ status: 'running', conversation_id: 'decided' })
  await expect.poll(() => statusOf('decided'), POLL).toBe('idle')
  const { messages } = await runtime.read('conversations/decided')
  expect(JSON.stringify(messages)).toContain('42')
  expect((await runtime.ask('POST', path, { body: decision })).status).toBe(409)
})

test('told to stop, it lets a turn come to its end, and its reader too', async () => {
  const one = await createRuntimeFolder({ sample: true })
  const stopping = await startRuntime(one)
  try {
    const stream = await stopping.ask('POST', PROMPT, { body: { message: WAIT(20) } })
    const frames = readFrames(stream)
    await expect
      .poll(
        async () => (await stopping.read('conversations')).conversations[0]?.usage.completion_tokens,
        POLL,
      )
      .toBeGreaterThan(0)
    expect(await stopping.stop('SIGTERM')).toBe(0)
    expect(textIn(await frames)).toContain('waited')
    expect((await frames).at(-1)?.frame).toEqual({ type: 'done' })
  } finally {
    await stopping.stop('SIGKILL')
    await one.remove()
  }
})

test('after kill -9 what was acknowledged is there, and nothing is shown complete that is not', async () => {
  verifies('RT-CONV-13', 'RT-PROMPT-9')
  const one = await createRuntimeFolder({ sample: true })
  let second: RunningRuntime | undefined
  const first = await startRuntime(one)
  try {
    await first.ask('POST', `${PROMPT}/sync`, { body: { message: 'help', conversation_id: 'before' } })
    const stream = await first.ask('POST', PROMPT, {
      body: { message: WAIT(10_000), conversation_id: 'cut' },
    })
    await readFrames(stream, ({ frame }) => frame.type === 'tool_call')
    const [child = 0] = readFileSync(one.file('sample.starts'), 'utf8').trim().split('\n').map(Number)
    await first.stop('SIGKILL')
    await expect.poll(() => isAlive(child), POLL).toBe(false)
    second = await startRuntime(one)
    const { ask, read: readPath } = second
    const read = (id: string) => readPath(`conversations/${id}`)
    expect(await read('before')).toMatchObject({ status: 'idle', messages: [{ content: 'help' }, {}] })
    await expect
      .poll(async () => (await read('cut')).status, { ...POLL, timeout: 20_000 })
      .toBe('interrupted')
    const cut = await read('cut')
    expect(cut.messages[0]).toMatchObject({ role: 'user', content: WAIT(10_000) })
    expect(JSON.stringify(cut.messages)).not.toContain('waited')
    const other = { name: 'Other', id: 'other' }
    await ask('POST', 'agents', { body: other })
    const asOther = await ask('POST', 'agents/other/prompt', {
      body: { message: 'x', conversation_id: 'cut' },
    })
    expect(asOther.status).toBe(409)
    const goOn = await ask('POST', `${PROMPT}/sync`, { body: { message: 'help', conversation_id: 'cut' } })
    expect(goOn.status).toBe(200)
    expect((await read('cut')).status).toBe('idle')
    expect(await second.stop()).toBe(0)
  } finally {
    await first.stop('SIGKILL')
    await second?.stop('SIGKILL')
    await one.remove()
  }
})
