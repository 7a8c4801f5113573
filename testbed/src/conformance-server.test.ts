import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, test } from 'vitest'
import { startConformanceServer } from './conformance-server.ts'
import { runConformance } from './foreign-clients.ts'

const server = await startConformanceServer()
afterAll(() => server.close())

const IN_BOTH = [
  'completion-complete',
  'dns-rebinding-protection',
  'json-schema-2020-12',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'prompts-list',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'server-sse-multiple-streams',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
]

describe('the whole suite passes directly', () => {
  test('2025-11-25', async () => {
    const { passed, failed, unscored, output } = await runConformance(server.url, { revision: '2025-11-25' })
    expect({ failed, unscored }, output).toStrictEqual({ failed: [], unscored: [] })
    expect(passed).toStrictEqual(
      [
        ...IN_BOTH,
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
        'logging-set-level',
        'ping',
        'resources-subscribe',
        'resources-unsubscribe',
        'server-initialize',
        'server-session-lifecycle',
        'server-sse-polling',
        'tools-call-elicitation',
        'tools-call-sampling',
        'tools-call-with-logging',
      ].sort(),
    )
  })

  test('2026-07-28, but for the extension of tasks, which does not count', async () => {
    const { passed, failed, unscored, output } = await runConformance(server.url, { revision: '2026-07-28' })
    expect(failed, output).toStrictEqual([])
    expect(unscored.filter((name) => !name.startsWith('tasks-'))).toStrictEqual([])
    expect(passed).toStrictEqual(
      [
        ...IN_BOTH,
        'caching',
        'http-custom-header-server-validation',
        'http-header-validation',
        'input-required-result-basic-elicitation',
        'input-required-result-basic-list-roots',
        'input-required-result-basic-sampling',
        'input-required-result-capability-check',
        'input-required-result-ignore-extra-params',
        'input-required-result-missing-input-response',
        'input-required-result-multi-round',
        'input-required-result-multiple-input-requests',
        'input-required-result-non-tool-request',
        'input-required-result-request-state',
        'input-required-result-result-type',
        'input-required-result-tampered-state',
        'input-required-result-unsupported-methods',
        'input-required-result-validate-input',
        'sep-2164-resource-not-found',
        'server-stateless',
      ].sort(),
    )
  })
})

describe('over stdio', () => {
  const program = new URL('conformance/stdio-program.ts', import.meta.url).pathname

  test.each(['legacy', 'auto'] as const)('the same tools are offered (%s)', async (mode) => {
    const transport = new StdioClientTransport({ command: process.execPath, args: [program] })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    try {
      await client.connect(transport)
      const changed = new Promise<void>((resolve) => {
        client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
      })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['test_simple_text', 'json_schema_2020_12_tool', 'test_x_mcp_header']),
      )
      const { content } = await client.callTool({ name: 'test_simple_text' })
      expect(content).toStrictEqual([{ type: 'text', text: 'This is a simple text response for testing.' }])
      if (mode === 'legacy') {
        await client.callTool({ name: 'test_trigger_tool_change' })
        await changed
        const after = await client.listTools()
        expect(after.tools.map(({ name }) => name)).toContain('test_changing_tool')
      }
    } finally {
      await client.close()
    }
  })
})
