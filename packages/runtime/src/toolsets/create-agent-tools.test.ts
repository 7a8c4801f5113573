import { isJsonObject } from '@quire/agent/json'
import type { Tool } from '@quire/agent/tool'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import { verifies } from '@quire/spec/verifies'
import { afterEach, expect, test } from 'vitest'
import { appProgram, startAppHttp } from './app-server.fixture.ts'
import { createAgentTools } from './create-agent-tools.ts'
import { agentWith, openToolsets } from './toolsets.fixture.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

type Options = Parameters<typeof openToolsets>[1] & { waitMs?: number }

function open(mcpServers: object, { waitMs, ...options }: Options = {}) {
  const opened = openToolsets(mcpServers, options)
  closing.push(opened.toolsets.close)
  return { ...opened, agentTools: createAgentTools(opened.toolsets, { ...opened, waitMs }) }
}

const never = new AbortController().signal
const context = { callId: 'call-1', signal: never }

function find(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  throw new Error(`there is no ${name} among ${tools.map((tool) => tool.name).join()}`)
}

const call = (tools: readonly Tool[], name: string, args = {}) => find(tools, name).execute(args, context)

async function seen(toolsets: Toolsets) {
  const { structuredContent } = await toolsets.call('app', 'seen', {})
  return isJsonObject(structuredContent) ? structuredContent : {}
}

test('an agent has the tools of its toolsets, over stdio and HTTP, prefixed, without those for user interfaces alone', async () => {
  verifies('RT-TOOLSET-6', 'RT-TOOLSET-7')
  const http = await startAppHttp()
  closing.push(http.close)
  const { agentTools } = open({ pipe: appProgram(), web: { url: http.url }, other: appProgram() })
  const tools = await agentTools.toolsOf(agentWith({ mcpToolsets: ['pipe', 'web', 'pipe'] }), never)
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

test('with tool approval every tool asks first', async () => {
  const { agentTools } = open({ app: appProgram() })
  const tools = await agentTools.toolsOf(agentWith({ mcpToolsets: ['app'], toolApproval: true }), never)
  expect(tools.length).toBeGreaterThan(5)
  expect(tools.every(({ needsApproval }) => needsApproval === true)).toBe(true)
})

test('servers are told at the handshake that user interfaces can be shown', async () => {
  const { toolsets } = open({ app: appProgram() })
  await toolsets.connection('app').whenReady(10_000)
  expect((await seen(toolsets)).capabilities).toEqual({
    extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
  })
})

test('a toolset that is down, one that is silent and one that does not exist take no other with them', async () => {
  const mcpServers = {
    app: appProgram(),
    gone: { command: 'no-such-program' },
    mute: appProgram('mute'),
  }
  const { agentTools, toolsets, log } = open(mcpServers, { waitMs: 300 })
  await toolsets.connection('app').whenReady(10_000)
  const agent = agentWith({ mcpToolsets: ['gone', 'missing', 'mute', 'app'] })
  const tools = await agentTools.toolsOf(agent, never)
  expect(new Set(tools.map(({ name }) => name.split('__')[0]))).toEqual(new Set(['app']))
  expect(log.join('')).toContain('an agent names toolsets that do not exist')
  expect(log.join('')).toContain('"unknown":["missing"]')
})

test('a start that fails is not waited for any longer', async () => {
  const { agentTools } = open({ gone: { command: 'no-such-program' } }, { waitMs: 3_600_000 })
  expect(await agentTools.toolsOf(agentWith({ mcpToolsets: ['gone'] }), never)).toEqual([])
})

test('a wait for a start ends with its prompt', async () => {
  const { agentTools } = open({ mute: appProgram('mute') }, { waitMs: 3_600_000 })
  const leaving = new AbortController()
  const waiting = agentTools.toolsOf(agentWith({ mcpToolsets: ['mute'] }), leaving.signal)
  leaving.abort(new Error('the caller left'))
  await expect(waiting).rejects.toThrow('the caller left')
})

test('failures are results that tell the model what happened', async () => {
  const { agentTools } = open(
    { app: appProgram() },
    { timeoutFor: (_toolset, tool) => (tool === 'slow' ? 50 : undefined) },
  )
  const tools = await agentTools.toolsOf(agentWith({ mcpToolsets: ['app'] }), never)
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
  const { agentTools, toolsets, pauses } = open({ app: appProgram(), other: appProgram() })
  const agent = agentWith({ mcpToolsets: ['app', 'other'] })
  const tools = await agentTools.toolsOf(agent, never)
  const died = await call(tools, 'app__die')
  expect(died.isError).toBe(true)
  expect(JSON.stringify(died)).toMatch(/has no answer.*Whether the call had an effect is not known/)
  expect(JSON.stringify(died)).not.toContain('hunter2')
  expect(await call(tools, 'other__weather')).toMatchObject({ content: [{ text: 'Sunny' }] })
  await toolsets.connection('app').whenReady(10_000)
  expect(pauses).toEqual([expect.toSatisfy((ms) => ms > 0)])
  expect(await call(await agentTools.toolsOf(agent, never), 'app__weather')).toMatchObject({
    content: [{ text: 'Sunny' }],
  })
})

test('a closed toolset fails its calls, not the turn', async () => {
  const { agentTools, toolsets } = open({ app: appProgram() })
  const tools = await agentTools.toolsOf(agentWith({ mcpToolsets: ['app'] }), never)
  await toolsets.close()
  expect(await call(tools, 'app__weather')).toMatchObject({ isError: true })
  expect(await agentTools.toolsOf(agentWith({ mcpToolsets: ['app'] }), never)).toEqual([])
})

test('an aborted call is cancelled at the server', async () => {
  const { agentTools, toolsets } = open({ app: appProgram() })
  const tools = await agentTools.toolsOf(agentWith({ mcpToolsets: ['app'] }), never)
  const leaving = new AbortController()
  const calling = find(tools, 'app__slow').execute({}, { callId: 'call-1', signal: leaving.signal })
  await expect.poll(async () => (await seen(toolsets)).slow).toHaveLength(1)
  leaving.abort(new Error('the turn was cancelled'))
  await expect(calling).rejects.toThrow('the turn was cancelled')
  await expect.poll(async () => (await seen(toolsets)).cancelled).toHaveLength(1)
})
