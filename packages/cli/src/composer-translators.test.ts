import { existsSync } from 'node:fs'
import { verifies } from '@quire/spec/verifies'
import { runInspector } from '@quire/testbed/foreign-clients'
import { findFreePort } from '@quire/testbed/free-port'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createFolder,
  type Folder,
  isAlive,
  PLAIN,
  type RunningComposer,
  runQuire,
  startComposer,
} from './composer.fixture.ts'
import { connectToProgram, connectToSse, connectToUrl } from './composer-clients.fixture.ts'
import { LAUNCHER } from './notebook.fixture.ts'

interface Made {
  readonly id: string
  readonly mcp: string
  readonly sse: string
  // biome-ignore lint/suspicious/noExplicitAny: the record as it came
  readonly record: any
}

let folder: Folder
let composer: RunningComposer
let program: Made
let old: Made
let bridge: Made

beforeAll(async () => {
  folder = await createFolder('[servers]\n')
  composer = await startComposer(folder, { args: ['--allow-command', process.execPath] })
  program = await make({ type: 'stdio-to-http', name: 'program', command: process.execPath, args: [PLAIN] })
  old = await make({ type: 'sse-to-http', name: 'old', url: program.sse })
  bridge = await make({ type: 'http-to-stdio', name: 'bridge', url: program.mcp })
})
afterAll(async () => {
  await composer?.stop('SIGKILL')
  await folder?.remove()
})

async function make(request: object): Promise<Made> {
  const { status, body: record, text } = await composer.ask('POST', '/translators', request)
  if (status !== 201) throw new Error(text)
  const at = `${composer.url}/translators/${record.id}`
  return { id: record.id, mcp: `${at}/mcp`, sse: `${at}/sse`, record }
}

test('they are made, and listed', async () => {
  verifies('CO-TRANS-1', 'CO-TRANS-2', 'CO-TRANS-4')
  const made = { id: expect.any(String), created_at: expect.stringMatching(/^\d{4}-.*Z$/) }
  expect(program.record).toEqual({
    ...made,
    name: 'program',
    type: 'stdio-to-http',
    status: 'running',
    endpoint: new URL(program.mcp).pathname,
    command: `${process.execPath} ${PLAIN}`,
  })
  expect(old.record).toMatchObject({ ...made, type: 'sse-to-http', url: program.sse, status: 'running' })
  expect(bridge.record).toMatchObject({ ...made, type: 'http-to-stdio', url: program.mcp, status: 'ready' })
  const { body } = await composer.ask('GET', '/translators')
  expect(body).toMatchObject({ total: 3, translators: [program.record, old.record, bridge.record] })
})

describe('stdio-to-http', () => {
  test.each(['legacy', 'modern'])('is used by the MCP Inspector in the %s era', async (era) => {
    verifies('CO-TRANS-5')
    const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello']
    expect(await runInspector({ url: program.mcp }, [...call, '--protocol-era', era])).toMatchObject({
      code: 0,
      json: { content: [{ text: 'hello' }] },
    })
  })

  test('is used by an old client over /sse', async () => {
    verifies('CO-TRANS-6')
    const ada = await connectToSse(program.sse, 'ada')
    onTestFinished(ada.close)
    expect((await ada.client.listTools()).tools.map(({ name }) => name)).toContain('structured')
    expect(await ada.say('echo', { text: 'as in 2024' })).toBe('as in 2024')
    expect(await ada.say('ask_elicitation')).toBe('accept: {"colour":"ada"}')
  })
})

test.each(['auto', 'legacy'] as const)(
  'sse-to-http is used by the official client in mode %s',
  async (mode) => {
    verifies('CO-TRANS-7')
    const ada = await connectToUrl(old.mcp, mode, 'ada')
    onTestFinished(ada.close)
    expect(await ada.call('structured', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } })
    expect(await ada.say('ask_elicitation')).toBe('accept: {"colour":"ada"}')
  },
)

describe('http-to-stdio', () => {
  /** The words of the command that was printed, with the program as it is started here. */
  const printed = () => {
    const [quire, ...args] = String(bridge.record.command).split(' ')
    expect(quire).toBe('quire')
    return { command: process.execPath, args: [LAUNCHER, ...args] }
  }

  test.each(['legacy', 'modern'])('prints what the MCP Inspector starts, in the %s era', async (era) => {
    verifies('CO-TRANS-8')
    const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello']
    expect(await runInspector(printed(), [...call, '--protocol-era', era])).toMatchObject({
      code: 0,
      json: { content: [{ text: 'hello' }] },
    })
  })

  test('prints what the official client starts, and is asked by', async () => {
    verifies('CO-TRANS-8')
    const ada = await connectToProgram(printed(), 'auto', 'ada')
    onTestFinished(ada.close)
    expect(await ada.say('ask_sampling')).toContain('a poem by ada')
  })

  test('that leads nowhere says so', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/mcp`
    const { code, stdout, stderr } = await runQuire(['composer', 'bridge', '--url', `${url}?key=hush-hush`])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr.split('\n')).toContainEqual(
      expect.stringMatching(
        `^quire: The MCP server at ${url} cannot be used\\. .*could not be reached: nothing listens at`,
      ),
    )
    expect(stderr).not.toContain('hush-hush')
  })
})

test('a second one of the same name is refused', async () => {
  verifies('CO-TRANS-9')
  const request = { type: 'http-to-stdio', name: 'program', url: 'http://127.0.0.1:9/mcp' }
  expect(await composer.ask('POST', '/translators', request)).toMatchObject({
    status: 400,
    body: { detail: 'There is a translator "program" already. Choose another name.' },
  })
})

test.each([
  ['another program', '/usr/bin/touch', ['MARK'], {}],
  ['code', process.execPath, ['-e', 'MARK'], {}],
  ['a variable that loads something else', process.execPath, ['MARK'], { NODE_OPTIONS: '--require MARK' }],
])('%s may not be run by way of the API', async (_what, command, args, env) => {
  verifies('CO-CMD-4')
  const mark = folder.file('mark')
  const request = {
    type: 'stdio-to-http',
    name: 'foreign',
    command,
    args: args.map((word) => word.replace('MARK', mark)),
    env,
  }
  expect(await composer.ask('POST', '/translators', request)).toMatchObject({
    status: 400,
    body: { error_code: 'COMMAND_NOT_ALLOWED' },
  })
  expect(existsSync(mark)).toBe(false)
  expect((await composer.ask('GET', '/translators')).body.total).toBe(3)
})

test('a program that ends at once is told, and nothing is left of it', async () => {
  const request = {
    type: 'stdio-to-http',
    name: 'gone',
    command: process.execPath,
    args: [folder.file('nothing.js')],
  }
  expect(await composer.ask('POST', '/translators', request)).toMatchObject({
    status: 500,
    body: { error_code: 'START_FAILED', detail: expect.stringContaining('ended with exit code 1') },
  })
  expect((await composer.ask('GET', '/translators')).body.total).toBe(3)
})

test('one that is deleted ends with its process', async () => {
  verifies('CO-TRANS-3')
  const { id, mcp, sse } = await make({
    type: 'stdio-to-http',
    name: 'short',
    command: [process.execPath, PLAIN],
  })
  const ada = await connectToUrl(mcp, 'auto', 'ada')
  onTestFinished(ada.close)
  const pid = Number(await ada.say('pid'))
  expect(isAlive(pid)).toBe(true)
  expect(await composer.ask('DELETE', `/translators/${id}`)).toMatchObject({ status: 204, text: '' })
  expect(isAlive(pid)).toBe(false)
  await expect(ada.say('pid')).rejects.toThrow()
  expect((await fetch(sse, { headers: { accept: 'text/event-stream' } })).status).toBe(404)
  expect(await composer.ask('DELETE', `/translators/${id}`)).toMatchObject({ status: 404 })
})
