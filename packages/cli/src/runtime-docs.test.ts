import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createRuntimeFolder,
  type RunningRuntime,
  type RuntimeFolder,
  startRuntime,
} from './runtime.fixture.ts'

const EXPECTED = [
  /^\{"response":"[^"]*guide.*"conversation_id":"[^"]+","status":"complete"\}$/s,
  /^id: \S+\ndata: \{"type":"text".*\ndata: \{"type":"usage".*\ndata: \{"type":"done"\}\n\n$/s,
  /^\{"id":"my-first","agent_id":"guide".*"messages":\[\{.*"content":"help".*"role":"assistant"/s,
  /^\{"id":"data-analyst","name":"Data analyst".*"system_prompt":"Answer briefly\."/s,
  /^\{"agents":\[.*"mcp_servers":\[\],"models":\[\{"id":"builtin:guide".*"available":true/s,
]

describe.each(['README.md', 'docs/runtime.md'])('%s', async (path) => {
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

  test('has five examples', () => expect(examples).toHaveLength(EXPECTED.length))

  test.each(examples.map((command, index) => [index + 1, command] as const))(
    'example %d works as it stands there',
    async (number, command) => {
      const { code, stdout, stderr } = await run(command.replace('http://localhost:8765', runtime.url))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(EXPECTED[number - 1] ?? /$^/)
    },
  )
})

function run(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 15_000 })
    const output = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      shell[stream].setEncoding('utf8').on('data', (chunk: string) => {
        output[stream] += chunk
      })
    shell.on('error', reject).on('close', (code) => resolve({ code, ...output }))
  })
}
