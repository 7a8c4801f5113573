import { createMetrics } from '@quire/kit/metrics'
import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../audit/audit.ts'
import type { ToolEntry } from '../catalog/composed-catalog.ts'
import { createFixtureServer, stdio } from '../routes/server.fixture.ts'
import type { ServerState } from '../supervisor/server-state.ts'
import { createComposerMetrics } from './composer-metrics.ts'

function start() {
  const metrics = createMetrics({ service: 'composer' })
  const server = createFixtureServer(stdio('one', ['node']), {}, () => undefined)
  const tools: ToolEntry[] = []
  const state = { tools: tools as readonly ToolEntry[] }
  const composer = createComposerMetrics({
    metrics,
    version: '1.2.3',
    servers: () => [server],
    catalog: { tools: () => state.tools, prompts: () => [], resources: () => [], conflicts: () => [] },
    uptimeSeconds: () => 7,
    now: () => new Date(0),
  })
  /** The lines of one metric, without the label that all have. */
  const lines = async (name: string) =>
    (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith(name) && !line.includes('_bucket'))
      .map((line) => line.replace(/,service="composer"|service="composer",?/, '').replace('{}', ''))
  return { metrics, server, state, composer, lines }
}

const call = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  subject: 'ada',
  method: 'tools/call',
  target: 'one:add',
  server: 'one',
  outcome: 'ok',
  durationMs: 2,
  ...more,
})
const entry = (id: string, name: string): ToolEntry => ({
  id,
  name,
  server: id.split(':')[0] ?? '',
  item: { name, inputSchema: { type: 'object' } },
  hash: '',
  trust: 'known',
})

describe('calls', () => {
  test('are counted by tool and by how they ended', async () => {
    const { composer, lines } = start()
    for (const outcome of ['ok', 'ok', 'asked', 'tool_error', 'TIMEOUT_ERROR', '-32603', '-31000'])
      composer.called(call({ outcome }))
    expect(await lines('mcp_tool_invocations_total')).toEqual([
      'mcp_tool_invocations_total{tool_id="one:add",status="success"} 3',
      'mcp_tool_invocations_total{tool_id="one:add",status="error"} 4',
    ])
    expect(await lines('mcp_tool_invocation_errors_total')).toEqual([
      'mcp_tool_invocation_errors_total{tool_id="one:add",error_type="tool_error"} 1',
      'mcp_tool_invocation_errors_total{tool_id="one:add",error_type="TIMEOUT_ERROR"} 1',
      'mcp_tool_invocation_errors_total{tool_id="one:add",error_type="rpc_error"} 2',
    ])
    expect(await lines('mcp_tool_invocation_duration_seconds_count')).toEqual([
      'mcp_tool_invocation_duration_seconds_count{tool_id="one:add"} 7',
    ])
    expect(composer.snapshot()).toMatchObject({ tool_invocations_total: 7, tool_errors_total: 4 })
  })

  test('of a millisecond have a bucket of their own', async () => {
    const { composer, metrics } = start()
    composer.called(call({ durationMs: 0.9 }))
    expect(await metrics.text()).toContain(
      'mcp_tool_invocation_duration_seconds_bucket{le="0.001",service="composer",tool_id="one:add"} 1',
    )
  })

  test('of more tools than are worth a series each are counted together', async () => {
    const { composer, lines } = start()
    for (let index = 0; index < 1_005; index += 1) composer.called(call({ target: `one:t${index}` }))
    const counted = await lines('mcp_tool_invocations_total')
    expect(counted).toHaveLength(1_001)
    expect(counted.at(-1)).toBe('mcp_tool_invocations_total{tool_id="other",status="success"} 5')
    expect(composer.snapshot().tool_invocations_total).toBe(1_005)
  })

  test('of what there is not, and other deeds, make no series', async () => {
    const { composer, lines } = start()
    const { server: _none, ...unknown } = call({ target: 'made up', outcome: 'TOOL_NOT_FOUND' })
    composer.called(unknown)
    composer.called(call({ method: 'servers/start' }))
    composer.called(call({ method: 'prompts/get' }))
    expect(await lines('mcp_tool_invocations_total')).toEqual([])
    expect(composer.snapshot()).toMatchObject({ tool_invocations_total: 0, tool_errors_total: 0 })
  })

  test('for resources are counted by server', async () => {
    const { composer, lines } = start()
    composer.called(call({ method: 'resources/read', target: 'file:///a' }))
    composer.called(call({ method: 'resources/read', target: 'file:///b', outcome: '-32002' }))
    expect(await lines('mcp_resource_reads_total')).toEqual([
      'mcp_resource_reads_total{server_id="one",status="success"} 1',
      'mcp_resource_reads_total{server_id="one",status="error"} 1',
    ])
    expect(await lines('mcp_resource_read_duration_seconds_count')).toEqual([
      'mcp_resource_read_duration_seconds_count{server_id="one"} 2',
    ])
  })
})

describe('servers', () => {
  test('are counted by state', async () => {
    const { server, lines } = start()
    expect(await lines('mcp_servers_stopped')).toEqual(['mcp_servers_stopped 1'])
    server.become('running', { restartCount: 3 })
    expect(await lines('mcp_servers_running')).toEqual(['mcp_servers_running 1'])
    expect(await lines('mcp_servers_failed')).toEqual(['mcp_servers_failed 0'])
    expect(await lines('mcp_servers_total')).toEqual(['mcp_servers_total 1'])
    expect(await lines('mcp_server_restarts_total')).toEqual(['mcp_server_restarts_total{server_id="one"} 3'])
    expect(await lines('mcp_server_restarts_total')).toEqual(['mcp_server_restarts_total{server_id="one"} 3'])
  })

  test('that start, stop and crash are counted', async () => {
    const { composer, lines } = start()
    const become = (...states: ServerState[]) => {
      for (const state of states) composer.observe({ type: 'state', server: 'one', state })
    }
    become(
      'starting',
      'running',
      'crashed',
      'starting',
      'crashed',
      'starting',
      'running',
      'stopping',
      'stopped',
    )
    composer.observe({ type: 'garbage', server: 'one' })
    composer.observe({ type: 'stderr', server: 'one', line: 'x' })
    expect(await lines('mcp_server_starts_total')).toEqual([
      'mcp_server_starts_total{server_id="one",status="success"} 2',
      'mcp_server_starts_total{server_id="one",status="failure"} 1',
    ])
    expect(await lines('mcp_server_crashes_total')).toEqual(['mcp_server_crashes_total{server_id="one"} 2'])
    expect(await lines('mcp_server_stops_total')).toEqual(['mcp_server_stops_total{server_id="one"} 1'])
    expect(await lines('mcp_server_garbage_total')).toEqual(['mcp_server_garbage_total{server_id="one"} 1'])
  })
})

test('tools are counted once, whatever their aliases, and anew when they change', async () => {
  const { composer, state, lines } = start()
  state.tools = [entry('one:a', 'one__a'), entry('one:a', 'alias'), entry('two:b', 'two__b')]
  expect(composer.snapshot().tools_total).toBe(2)
  expect(await lines('mcp_tools_by_server')).toEqual([
    'mcp_tools_by_server{server_id="one"} 1',
    'mcp_tools_by_server{server_id="two"} 1',
  ])
  state.tools = []
  expect(composer.snapshot().tools_total).toBe(0)
  expect(await lines('mcp_tools_total')).toEqual(['mcp_tools_total 0'])
})

test('configurations that were applied and refused are counted', async () => {
  const { composer, lines } = start()
  composer.reloaded(true)
  composer.reloaded(false)
  expect(await lines('mcp_config_reloads_total')).toEqual([
    'mcp_config_reloads_total{status="success"} 1',
    'mcp_config_reloads_total{status="failure"} 1',
  ])
})

test('the snapshot counts the requests of the app', () => {
  const { composer } = start()
  composer.http.startRequest('GET')('/x', 200)
  composer.http.startRequest('POST')
  expect(composer.snapshot()).toEqual({
    type: 'metrics',
    timestamp: '1970-01-01T00:00:00.000Z',
    http_requests_total: 2,
    tool_invocations_total: 0,
    tool_errors_total: 0,
    server_restarts_total: 0,
    servers_running: 0,
    tools_total: 0,
    cpu_percent: expect.any(Number),
    memory_percent: expect.any(Number),
    uptime_seconds: 7,
  })
})
