import { verifies } from '@quire/spec/verifies'
import { afterEach, expect, test } from 'vitest'
import { appProgram, startAppHttp } from '../fixtures/app-server.ts'
import { program } from '../fixtures/connect.ts'
import { openToolsets } from '../fixtures/open-toolsets.ts'
import { isRecord } from '../json.ts'
import type { ModelTool } from './model-tool.ts'
import { createModelTools } from './model-tools.ts'
import type { Thread } from './thread.ts'
import type { Toolsets } from './toolsets.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

type Options = Parameters<typeof openToolsets>[1] & { waitMs?: number }

function open(mcpServers: object, { waitMs, ...options }: Options = {}) {
  const opened = openToolsets(mcpServers, options)
  closing.push(opened.toolsets.close)
  return { ...opened, modelTools: createModelTools(opened.toolsets, { ...opened, waitMs }) }
}

const never = new AbortController().signal
const context = { callId: 'call-1', signal: never }

function find(tools: readonly ModelTool[], name: string): ModelTool {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  throw new Error(`there is no ${name} among ${tools.map((tool) => tool.name).join()}`)
}

const call = (tools: readonly ModelTool[], name: string, args = {}) =>
  find(tools, name).execute(args, context)

async function seen(toolsets: Toolsets) {
  const { structuredContent } = await toolsets.call('app', 'seen', {})
  return isRecord(structuredContent) ? structuredContent : {}
}

test('there are the tools of the toolsets that are wanted, over stdio and HTTP, prefixed, without those for user interfaces alone', async () => {
  verifies('RT-TOOLSET-6', 'RT-TOOLSET-7')
  const http = await startAppHttp()
  closing.push(http.close)
  const { modelTools } = open({ pipe: appProgram(), web: { url: http.url }, other: appProgram() })
  const tools = await modelTools.toolsOf({ names: ['pipe', 'web', 'pipe'] }, never)
  const names = tools.map(({ name }) => name)
  expect(names).toContain('pipe__weather')
  expect(names).toContain('web__weather')
  expect(names).toContain('pipe__think')
  expect(names.filter((name) => /refresh|nobody|^other/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => name.startsWith('pipe__odd_name_with_dots_'))).toHaveLength(1)
  expect(find(tools, 'pipe__weather')).toMatchObject({
    description: 'The weather of a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  })
  expect(find(tools, 'pipe__think').description).toBe('Think')
  expect(find(tools, 'pipe__weather').needsApproval).toBeUndefined()
  const answer = {
    content: [{ type: 'text', text: 'Sunny' }],
    structuredContent: { asked: { city: 'Bern' } },
    _meta: { 'test/origin': 'weather' },
    extra: { kept: true },
  }
  expect(await call(tools, 'pipe__weather', { city: 'Bern' })).toEqual(answer)
  expect(await call(tools, 'web__weather', { city: 'Bern' })).toEqual(answer)
  const odd = tools.find(({ name }) => name.startsWith('pipe__odd_'))
  expect(await odd?.execute({}, context)).toMatchObject({ content: [{ text: 'called odd name/with.dots' }] })
})

test('with approval every tool asks first', async () => {
  const { modelTools } = open({ app: appProgram() })
  const tools = await modelTools.toolsOf({ names: ['app'], needsApproval: true }, never)
  expect(tools.length).toBeGreaterThan(5)
  expect(tools.every(({ needsApproval }) => needsApproval === true)).toBe(true)
})

test('a toolset that is down, one that is silent and one that does not exist take no other with them', async () => {
  const mcpServers = {
    app: appProgram(),
    gone: { command: 'no-such-program' },
    mute: appProgram('mute'),
  }
  const { modelTools, toolsets, log } = open(mcpServers, { waitMs: 300 })
  await toolsets.connection('app').whenReady(10_000)
  const wanted = { names: ['gone', 'missing', 'mute', 'app'], who: 'ada' }
  const tools = await modelTools.toolsOf(wanted, never)
  expect(new Set(tools.map(({ name }) => name.split('__')[0]))).toEqual(new Set(['app']))
  expect(log.join('')).toContain('toolsets are wanted that do not exist')
  expect(log.join('')).toContain('"who":"ada","unknown":["missing"]')
  await modelTools.toolsOf(wanted, never)
  expect(log.filter((line) => line.includes('that do not exist'))).toHaveLength(1)
})

test('a start that fails is not waited for any longer', async () => {
  const { modelTools } = open({ gone: { command: 'no-such-program' } }, { waitMs: 3_600_000 })
  expect(await modelTools.toolsOf({ names: ['gone'] }, never)).toEqual([])
})

test('a wait for a start ends with its prompt', async () => {
  const { modelTools } = open({ mute: appProgram('mute') }, { waitMs: 3_600_000 })
  const leaving = new AbortController()
  const waiting = modelTools.toolsOf({ names: ['mute'] }, leaving.signal)
  leaving.abort(new Error('the caller left'))
  await expect(waiting).rejects.toThrow('the caller left')
})

test('failures are results that tell the model what happened', async () => {
  const { modelTools } = open(
    { app: appProgram() },
    { timeoutFor: (_toolset, tool) => (tool === 'slow' ? 50 : undefined) },
  )
  const tools = await modelTools.toolsOf({ names: ['app'] }, never)
  const said = async (name: string) => JSON.stringify(await call(tools, name))
  expect(await call(tools, 'app__fail')).toEqual({
    content: [{ type: 'text', text: 'no luck' }],
    isError: true,
  })
  expect(await call(tools, 'app__malformed')).toMatchObject({ isError: true })
  expect(await said('app__malformed')).toContain('a shape that MCP does not know')
  expect(await call(tools, 'app__refuse')).toMatchObject({ isError: true })
  expect(await said('app__refuse')).toMatch(/refused the call of .*refuse.*-32602.*city is missing/)
  expect(await said('app__slow')).toMatch(/"isError":true/)
  expect(await said('app__slow')).toMatch(/within 0.05 seconds.*look before you call it again/)
})

test('a server that dies in the middle of a call is told of, and is back for the next turn', async () => {
  verifies('RT-TOOLSET-12')
  const { modelTools, toolsets, pauses } = open({ app: appProgram(), other: appProgram() })
  const wanted = { names: ['app', 'other'] }
  const tools = await modelTools.toolsOf(wanted, never)
  const died = await call(tools, 'app__die')
  expect(died.isError).toBe(true)
  expect(JSON.stringify(died)).toMatch(/has no answer.*Whether the call had an effect is not known/)
  expect(JSON.stringify(died)).not.toContain('hunter2')
  expect(await call(tools, 'other__weather')).toMatchObject({ content: [{ text: 'Sunny' }] })
  await toolsets.connection('app').whenReady(10_000)
  expect(pauses).toEqual([expect.toSatisfy((ms) => ms > 0)])
  expect(await call(await modelTools.toolsOf(wanted, never), 'app__weather')).toMatchObject({
    content: [{ text: 'Sunny' }],
  })
})

test('a closed toolset fails its calls, not the turn', async () => {
  const { modelTools, toolsets } = open({ app: appProgram() })
  const tools = await modelTools.toolsOf({ names: ['app'] }, never)
  await toolsets.close()
  expect(await call(tools, 'app__weather')).toMatchObject({ isError: true })
  expect(await modelTools.toolsOf({ names: ['app'] }, never)).toEqual([])
})

test('an aborted call is cancelled at the server', async () => {
  const { modelTools, toolsets } = open({ app: appProgram() })
  const tools = await modelTools.toolsOf({ names: ['app'] }, never)
  const leaving = new AbortController()
  const calling = find(tools, 'app__slow').execute({}, { callId: 'call-1', signal: leaving.signal })
  await expect.poll(async () => (await seen(toolsets)).slow).toHaveLength(1)
  leaving.abort(new Error('the turn was cancelled'))
  await expect(calling).rejects.toThrow('the turn was cancelled')
  await expect.poll(async () => (await seen(toolsets)).cancelled).toHaveLength(1)
})

test.each(['legacy', 'modern'])(
  'the key of a call and its thread reach a server of the %s era, and are sent only where there are any',
  async (era) => {
    const { command, args } = program('stdio-sample.ts', era)
    const { modelTools } = open({ sample: { command, args } })
    const meta = async (idempotencyKey?: string, thread?: Thread) => {
      const tools = await modelTools.toolsOf({ names: ['sample'], thread }, never)
      const { content } = await find(tools, 'sample__meta').execute({}, { ...context, idempotencyKey })
      const [block] = content
      return JSON.parse(block?.type === 'text' ? block.text : '')
    }
    expect(await meta('task-1.call-1')).toMatchObject({ 'quire/idempotency-key': 'task-1.call-1' })
    expect(await meta('task-1.call-1', { id: 'talk', name: 'Ada' })).toMatchObject({
      'quire/idempotency-key': 'task-1.call-1',
      'quire/thread': { id: 'talk', name: 'Ada' },
    })
    expect(JSON.stringify(await meta())).not.toContain('quire/')
  },
)
