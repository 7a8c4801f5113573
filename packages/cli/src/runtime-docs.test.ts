import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createGuide } from '@quire/agent/guide'
import { createModels } from '@quire/agent/models'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createRuntimeFolder,
  type RunningRuntime,
  type RuntimeFolder,
  startRuntime,
} from './runtime.fixture.ts'

const FIVE = [
  /^\{"response":"[^"]*guide.*"conversation_id":"[^"]+","status":"complete"\}$/s,
  /^id: \S+\ndata: \{"type":"text".*\ndata: \{"type":"usage".*\ndata: \{"type":"done"\}\n\n$/s,
  /^\{"id":"my-first","agent_id":"guide".*"messages":\[\{.*"content":"help".*"role":"assistant"/s,
  /^\{"id":"data-analyst","name":"Data analyst".*"system_prompt":"Answer briefly\."/s,
  /^\{"agents":\[.*"mcp_servers":\[\],"models":\[\{"id":"builtin:guide".*"available":true/s,
]
const PROTOCOLS = [
  /^data: \{"type":"RUN_STARTED","threadId":"my-first".*data: \{"type":"RUN_FINISHED"[^\n]*\n\n$/s,
  /^data: \{"type":"start".*"type":"text-delta".*data: \[DONE\]\n\n$/s,
  /^\{"jsonrpc":"2\.0","id":1,"result":\{"task":\{.*"state":"TASK_STATE_COMPLETED".*"text":/s,
  /^data: \{"version":"v0\.9\.1","createSurface".*"updateDataModel"/s,
  /^\{"type":"start","session_id":"my-first"\}\n.*\{"type":"complete","session_id":"my-first"\}\n$/s,
]
const METRICS = /^http_requests_total\{.*^runtime_turns_total\{.*status="complete".*\} \d/ms

describe.each([
  ['README.md', FIVE],
  ['docs/runtime.md', [...FIVE, ...PROTOCOLS, METRICS]],
])('%s', async (path, expected) => {
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
  /** As they stand there, in their order. */
  const examples = [...text.matchAll(/^ *(curl .*localhost:8765.*)$/gm)].map(([, command = '']) => command)
  let folder: RuntimeFolder
  let runtime: RunningRuntime
  beforeAll(async () => {
    folder = await createRuntimeFolder()
    runtime = await startRuntime(folder)
  })
  afterAll(async () => {
    await runtime?.stop('SIGKILL')
    await folder?.remove()
  })

  test('has its examples', () => expect(examples).toHaveLength(expected.length))

  test.each(examples.map((command, index) => [index + 1, command] as const))(
    'example %d works as it stands there',
    async (number, command) => {
      const { code, stdout, stderr } = await run(command.replace('http://localhost:8765', runtime.url))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(expected[number - 1] ?? /$^/)
    },
  )
})

test('docs/runtime.md names every provider and the variables that it needs', async () => {
  const text = await readFile(new URL('../../../docs/runtime.md', import.meta.url), 'utf8')
  for (const { id, requires } of createModels({ environment: {}, guide: createGuide() }).list()) {
    expect(text).toContain(`| \`${id.endsWith(':guide') ? id : id.split(':')[0]}\``)
    for (const variable of requires) expect(text).toContain(`\`${variable}\``)
  }
})

function run(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 45_000 })
    const output = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      shell[stream].setEncoding('utf8').on('data', (chunk: string) => {
        output[stream] += chunk
      })
    shell.on('error', reject).on('close', (code) => resolve({ code, ...output }))
  })
}
