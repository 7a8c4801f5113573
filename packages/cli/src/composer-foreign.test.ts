import { verifies } from '@quire/spec/verifies'
import { type InspectorResult, runInspector } from '@quire/testbed/foreign-clients'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createFolder,
  type Folder,
  isAlive,
  PLAIN,
  POLL,
  type RunningComposer,
  serveArguments,
  spawnComposer,
  startComposer,
  stdioServer,
} from './composer.fixture.ts'
import { connectToProgram, connectToSse } from './composer-clients.fixture.ts'

/** A client on a pipe is asked for no key, and has the role "default" where roles count. */
const accessOf = (role: string) => `[authentication]
enabled = true
[authentication.api_key]
keys = [{ key = "a-key-of-my-own-0123456789", roles = ["${role}"] }]
[authorization]
enabled = true
[[authorization.roles]]
name = "${role}"
permissions = ["*"]
`

let folder: Folder
let composer: RunningComposer

beforeAll(async () => {
  folder = await createFolder(`[transport]\nsse_enabled = true\n${stdioServer('plain', PLAIN)}`)
  composer = await startComposer(folder)
  await composer.whenState('plain', 'running')
})
afterAll(async () => {
  await composer?.stop('SIGKILL')
  await folder?.remove()
})

describe('the MCP Inspector', () => {
  const WAYS = ['HTTP', 'stdio'].flatMap((wire) => ['legacy', 'modern'].map((era) => ({ wire, era })))
  const LIST = ['--method', 'tools/list']
  const CALL = [
    '--method',
    'tools/call',
    '--tool-name',
    'plain__structured',
    '--tool-arg',
    'a=20',
    '--tool-arg',
    'b=22',
  ]
  const answers = new Map<string, { list?: InspectorResult; call: InspectorResult }>()
  const pipes: Folder[] = []

  beforeAll(async () => {
    // Each with a program of its own, and all of them at once.
    await Promise.all(
      WAYS.map(async ({ wire, era }) => {
        const own = await createFolder(stdioServer('plain', PLAIN))
        pipes.push(own)
        const args = serveArguments(own, ['--transport', 'stdio'])
        const target = wire === 'HTTP' ? { url: `${composer.url}/mcp` } : { command: process.execPath, args }
        const inspect = (request: string[]) => runInspector(target, [...request, '--protocol-era', era])
        const call = await inspect(CALL)
        answers.set(wire + era, wire === 'HTTP' ? { list: await inspect(LIST), call } : { call })
      }),
    )
  })
  afterAll(() => Promise.all(pipes.map(({ remove }) => remove())))

  test.each(WAYS)('over $wire in the $era era calls tools', ({ wire, era }) => {
    verifies('CO-MCP-1')
    const { call } = answers.get(wire + era) ?? {}
    expect(call).toMatchObject({ code: 0, json: { structuredContent: { sum: 42 } } })
  })

  test.each(['legacy', 'modern'])('in the %s era lists what there is, and finds no fault', (era) => {
    verifies('CO-MCP-1')
    const { list } = answers.get(`HTTP${era}`) ?? {}
    expect(list?.stderr).not.toMatch(/Schema portability: [1-9]/)
    const echo = expect.objectContaining({ name: 'plain__echo' })
    expect(list).toMatchObject({ code: 0, json: { tools: expect.arrayContaining([echo]) } })
  })
})

test('an old client is served at /sse', async () => {
  verifies('CO-MCP-2')
  const ada = await connectToSse(`${composer.url}/sse`, 'ada')
  onTestFinished(ada.close)
  expect(await ada.say('plain__echo', { text: 'as in 2024' })).toBe('as in 2024')
  expect(await ada.say('plain__ask_elicitation')).toBe('accept: {"colour":"ada"}')
})

test.each(['auto', 'legacy'] as const)(
  'over stdio, the official client in mode %s finds everything, and leaves nothing behind',
  async (mode) => {
    const own = await createFolder(accessOf('default') + stdioServer('plain', PLAIN))
    onTestFinished(own.remove)
    const args = [...serveArguments(own, ['--transport', 'stdio'])]
    const ada = await connectToProgram({ command: process.execPath, args }, mode, 'ada')
    onTestFinished(ada.close)
    // Its first words, and the server is there already.
    expect((await ada.client.listTools()).tools).toHaveLength(17)
    expect(await ada.say('plain__echo', { text: 'through two pipes' })).toBe('through two pipes')
    expect(await ada.say('plain__ask_elicitation')).toBe('accept: {"colour":"ada"}')
    const pid = Number(await ada.say('plain__pid'))
    expect(isAlive(pid)).toBe(true)
    await ada.close()
    await expect.poll(() => isAlive(pid), POLL).toBe(false)
  },
)

test('over stdio, a client that will see nothing for want of a role is not left to wonder', async () => {
  const own = await createFolder(accessOf('reader'))
  onTestFinished(own.remove)
  // Its stdin has ended before it began.
  const program = spawnComposer(own, { args: ['--transport', 'stdio'] })
  expect(await program.exited).toBe(0)
  expect(program.output.stdout).toBe('')
  expect(program.output.stderr).toContain('has only the role \\"default\\", which the file does not have')
})
