import { afterEach, expect, test } from 'vitest'
import { program, testOptions } from '../fixtures/connect.ts'
import { eventually, isRunning } from '../fixtures/processes.ts'
import type { CallTimes, ToolsetsConfig } from './config.ts'
import { createToolsets, type Toolsets, type ToolsetsOptions } from './toolsets.ts'

const opened: Toolsets[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((toolsets) => toolsets.close()))
})

const { name: _name, ...defaults } = testOptions

function open(config: ToolsetsConfig, options: Partial<ToolsetsOptions> = {}): Toolsets {
  const toolsets = createToolsets(config, { ...defaults, ...options })
  opened.push(toolsets)
  return toolsets
}

const rough = program('rough-server.ts')
const mute = program('rough-server.ts', 'mute')
const missing = { type: 'stdio', command: 'no-such-program' } as const

test('one server that is silent and one that is missing hold up nobody', async () => {
  const toolsets = open(
    new Map<string, typeof rough>([
      ['good', rough],
      ['mute', mute],
      ['gone', missing],
    ]),
    {
      required: ['good', 'gone'],
    },
  )
  expect(toolsets.status()).toMatchObject({
    initialized: false,
    servers: { good: { ready: false, tools: [] } },
  })
  await toolsets.connection('good').whenReady(10_000)
  const tools = ['echo', 'hang', 'flood', 'burst']
  expect(toolsets.status()).toEqual({
    initialized: false,
    servers: {
      good: { ready: true, tools },
      mute: { ready: false, tools: [] },
      gone: { ready: false, tools: [], error: expect.stringContaining('"no-such-program" was not found') },
    },
  })
  expect(toolsets.missing()).toEqual([expect.stringContaining('no-such-program')])
  expect(toolsets.tools().map(({ name }) => name)).toEqual(tools)
  expect(await toolsets.call('good', 'echo', { a: 1 })).toMatchObject({ structuredContent: { n: 1 } })
  await expect(toolsets.call('mute', 'echo', {})).rejects.toThrow('it is still starting')
  await expect(toolsets.call('gone', 'echo', {})).rejects.toThrow('no-such-program')
  await expect(toolsets.call('none', 'echo', {})).rejects.toThrow(
    'There is no toolset "none". Configured are: good',
  )
})

test('tools of several servers can be told apart, and chosen', async () => {
  const toolsets = open(
    new Map([
      ['one', rough],
      ['two', rough],
    ]),
  )
  await Promise.all(toolsets.names.map((name) => toolsets.connection(name).whenReady(10_000)))
  await eventually('both have settled', () => toolsets.status().initialized)
  expect(toolsets.missing()).toEqual([])
  const names = toolsets.tools({ prefix: true }).map(({ name }) => name)
  expect(names).toEqual(
    ['one', 'two'].flatMap((set) => ['echo', 'hang', 'flood', 'burst'].map((tool) => `${set}__${tool}`)),
  )
  const [first] = toolsets.tools({ toolsets: ['two'] })
  expect(first).toMatchObject({ toolset: 'two', name: 'echo', tool: { inputSchema: { type: 'object' } } })
  expect(() => toolsets.tools({ toolsets: ['three'] })).toThrow('no toolset "three"')
})

test('a tool may have its own time, and a call its own', async () => {
  const toolsets = open(new Map([['one', rough]]), {
    timeoutFor: (toolset, tool) => (toolset === 'one' && tool === 'hang' ? 50 : undefined),
  })
  await toolsets.connection('one').whenReady(10_000)
  await expect(toolsets.call('one', 'hang', {})).rejects.toThrow('within 0.05 seconds')
  await expect(toolsets.call('one', 'hang', {}, { timeoutMs: 60 })).rejects.toThrow('within 0.06 seconds')
})

test('the file may say how long a server, or one tool of it, may take', async () => {
  const toolsets = open(
    new Map<string, typeof rough & CallTimes>([
      ['both', { ...rough, timeoutMs: 70, toolTimeouts: { hang: 80 } }],
      ['all', { ...rough, timeoutMs: 90 }],
    ]),
  )
  await Promise.all(toolsets.names.map((name) => toolsets.connection(name).whenReady(10_000)))
  await expect(toolsets.call('both', 'hang', {})).rejects.toThrow('within 0.08 seconds')
  await expect(toolsets.call('all', 'hang', {})).rejects.toThrow('within 0.09 seconds')
})

test('says when a server comes, goes and changes its tools', async () => {
  const toolsets = open(new Map([['one', program('stdio-sample.ts', 'legacy')]]))
  const seen: string[] = []
  const following = (async () => {
    for await (const event of toolsets.events()) {
      if (event.type === 'status') seen.push(event.status.ready ? 'ready' : 'not ready')
      else seen.push(event.type)
    }
  })()
  await toolsets.connection('one').whenReady(10_000)
  await toolsets.call('one', 'grow', {})
  await eventually('the change is told', () => seen.filter((type) => type === 'tools').length === 2)
  await toolsets.call('one', 'die', {}).catch(() => 'expected')
  await eventually('the loss is told', () => seen.includes('not ready'))
  expect(toolsets.status().servers.one?.ready).toBe(false)
  await toolsets.close()
  await following
  expect(seen.slice(0, 4)).toEqual(['tools', 'ready', 'tools', 'not ready'])
})

test('a required toolset must be configured', () => {
  expect(() => open(new Map([['one', rough]]), { required: ['two'] })).toThrow('not configured: two')
})

test('closing is idempotent and leaves no process', async () => {
  const toolsets = open(
    new Map<string, typeof rough>([
      ['one', rough],
      ['gone', missing],
    ]),
  )
  await toolsets.connection('one').whenReady(10_000)
  const { pid } = toolsets.connection('one').status()
  await Promise.all([toolsets.close(), toolsets.close()])
  expect(isRunning(Number(pid))).toBe(false)
  expect(toolsets.status().servers.one?.ready).toBe(false)
})
