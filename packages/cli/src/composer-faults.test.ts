import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createFolder,
  type Folder,
  POLL,
  type RunningComposer,
  roughServer,
  startComposer,
  textIn,
} from './composer.fixture.ts'
import { connectToUrl, type NamedClient } from './composer-clients.fixture.ts'

const MIB = 1024 * 1024
/** Each of them writes something else than it should. */
const CARELESS = ['garbage', 'twice', 'wrong-id', 'storm']
const LEFT = 'Server "left" has crashed: it ended with exit code 4. It stays down until it is started again.'
const TALKATIVE = JSON.stringify(['/bin/sh', '-c', 'seq 60 >&2; exit 3'])

let folder: Folder
let composer: RunningComposer
let ada: NamedClient

beforeAll(async () => {
  folder = await createFolder((path) =>
    [
      roughServer(path, 'good'),
      roughServer(
        path,
        'victim',
        'plain',
        'restart_policy = "on-failure"\nrestart_delay = 2\nlog_file = "victim.log"',
      ),
      roughServer(path, 'left', 'plain', 'restart_policy = "never"'),
      roughServer(path, 'exits', 'exits', 'max_restarts = 1\nrestart_delay = 0.1'),
      `[[servers.proxied.stdio]]\nname = "talkative"\ncommand = ${TALKATIVE}\nrestart_policy = "never"`,
      roughServer(path, 'mute', 'mute'),
      roughServer(path, 'late', 'late', 'timeout = 1\nlog_file = "late.log"'),
      roughServer(path, 'idle', 'plain', 'auto_start = false'),
      roughServer(path, 'flood'),
      roughServer(path, 'long'),
      ...CARELESS.map((mode) => roughServer(path, mode, mode)),
      roughServer(path, 'deep', 'deep'),
    ].join('\n'),
  )
  composer = await startComposer(folder)
  const running = ['good', 'victim', 'left', 'late', 'flood', 'long', ...CARELESS, 'deep']
  await Promise.all(running.map((name) => composer.whenState(name, 'running')))
  ada = await connectToUrl(`${composer.url}/mcp`, 'auto', 'ada')
})
afterAll(async () => {
  await ada?.close()
  await composer?.stop('SIGKILL')
  await folder?.remove()
})

const invoke = (tool: string, args: object = {}) => composer.ask('POST', `/tools/${tool}/invoke`, args)
const serverOf = async (name: string) => (await composer.ask('GET', `/servers/${name}`)).body
/** How many calls the server has said to be in the middle of. */
const hanging = (name: string) => folder.read(`${name}.log`).split('hanging').length - 1

test('a server that is killed is started again, its calls are told, and nobody else notices', async () => {
  verifies('CO-INVOKE-6', 'CO-INVOKE-7', 'CO-SUP-12', 'CO-SUP-14')
  const { pid } = await serverOf('victim')
  const before = await serverOf('good')
  const overRest = invoke('victim:hang')
  const overMcp = ada.call('victim__hang').catch((error: Error) => error)
  await expect.poll(() => hanging('victim'), POLL).toBe(2)
  process.kill(pid, 'SIGKILL')
  const lost =
    'Server "victim" was lost in the middle of the call; whether it was done is unknown. The reason: The request has no answer: MCP server "victim" was ended by SIGKILL.'
  expect(await overRest).toMatchObject({ status: 503, body: { detail: lost, error_code: 'SERVER_LOST' } })
  expect(await overMcp).toMatchObject({ message: lost, data: { error_code: 'SERVER_LOST' } })
  expect(await serverOf('victim')).toMatchObject({
    state: 'crashed',
    pid: null,
    last_error: 'was ended by SIGKILL',
    failure: { signal: 'SIGKILL', exit_code: null },
  })
  expect(await invoke('victim:echo')).toMatchObject({
    status: 503,
    body: {
      detail: 'Server "victim" has crashed: it was ended by SIGKILL. It is started again soon.',
      error_code: 'SERVER_CRASHED',
    },
  })
  expect(await ada.say('good__echo', { still: 'here' })).toBe('{"still":"here"}')
  const again = await composer.whenState('victim', 'running')
  expect(again.restart_count).toBe(1)
  expect(again.pid).not.toBe(pid)
  expect(textIn(await invoke('victim:echo', { a: 1 }))).toBe('{"a":1}')
  expect(await serverOf('good')).toMatchObject({ pid: before.pid, restart_count: 0 })
})

test('one that is to stay down stays down, and callers are told why', async () => {
  verifies('CO-SUP-11', 'CO-INVOKE-6')
  expect(await invoke('left:exit', { code: 4 })).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('ended with exit code 4'), error_code: 'SERVER_LOST' },
  })
  expect(await serverOf('left')).toMatchObject({
    state: 'crashed',
    retry_in_seconds: null,
    failure: { exit_code: 4, stderr: ['leaving in the middle'] },
  })
  expect(await invoke('left:echo')).toMatchObject({ status: 503, body: { detail: LEFT } })
})

test('an agent that has listed the tools before is not led to the tool of another server', async () => {
  expect(await ada.call('left__echo').catch((error: Error) => error.message)).toBe(LEFT)
})

test('one that exits at once stays crashed, with its reason; a manual start clears the limit', async () => {
  verifies('CO-SUP-8', 'CO-SUP-9', 'CO-SUP-14', 'CO-SERVER-13', 'CO-INVOKE-6')
  const hasGivenUp = (restarts: number) => ({
    state: 'crashed',
    restart_count: restarts,
    retry_in_seconds: null,
    failure: {
      reason: expect.stringMatching(/^ended with exit code 7\..* "I cannot go on"; .* left alone now$/),
      exit_code: 7,
      signal: null,
      stderr: ['first line', 'I cannot go on'],
    },
  })
  await expect.poll(() => serverOf('exits'), POLL).toMatchObject(hasGivenUp(1))
  expect(await composer.ask('POST', '/servers/exits/start')).toMatchObject({
    status: 500,
    body: {
      detail:
        'Server "exits" failed to start: it ended with exit code 7. Its last line on stderr: "I cannot go on".',
      error_code: 'START_FAILED',
    },
  })
  await expect.poll(() => serverOf('exits'), POLL).toMatchObject(hasGivenUp(2))
  const { failure } = await serverOf('talkative')
  expect(failure).toMatchObject({ exit_code: 3 })
  expect(failure.stderr).toEqual(Array.from({ length: 50 }, (_, index) => String(index + 11)))
})

test('one that hangs in the handshake holds up nobody', async () => {
  verifies('CO-SUP-2')
  expect(await serverOf('mute')).toMatchObject({ state: 'starting', tools_count: 0 })
  expect(textIn(await invoke('good:echo', { a: 1 }))).toBe('{"a":1}')
  expect(await composer.ask('GET', '/health')).toMatchObject({ status: 200, body: { status: 'degraded' } })
})

test("a tool that hangs is told to stop in time, and its late answer is nobody's", async () => {
  verifies('CO-INVOKE-8')
  const detail = 'Tool "hang" of server "late" did not answer within 1 s and was told to stop.'
  const [overRest, overMcp] = await Promise.all([
    invoke('late:hang'),
    ada.call('late__hang').catch((error: Error) => error),
  ])
  expect(overRest).toMatchObject({ status: 504, body: { detail, error_code: 'TIMEOUT_ERROR' } })
  expect(overMcp).toMatchObject({ message: detail, data: { error_code: 'TIMEOUT_ERROR' } })
  await expect.poll(() => folder.read('late.log').split('cancelled').length - 1, POLL).toBe(2)
  expect(textIn(await invoke('late:echo', { own: 'answer' }))).toBe('{"own":"answer"}')
})

test('a server that is stopped is not called', async () => {
  verifies('CO-INVOKE-5', 'CO-SERVER-4', 'CO-SERVER-12', 'CO-ERR-3')
  const stopped = {
    status: 400,
    body: {
      detail: 'Server "idle" is not running. Start it first.',
      error_code: 'SERVER_NOT_RUNNING',
    },
  }
  expect(await invoke('idle:echo')).toMatchObject(stopped)
  expect(await composer.ask('POST', '/servers/idle/start')).toMatchObject({ status: 200 })
  expect(await invoke('idle:echo')).toMatchObject({ status: 200 })
  expect(await composer.ask('POST', '/servers/idle/stop')).toMatchObject({ status: 200 })
  expect(await invoke('idle:echo')).toMatchObject(stopped)
  expect(await composer.ask('POST', '/servers/idle/stop')).toMatchObject({ status: 400 })
})

describe('what a server writes', () => {
  test('may be 10 MiB in one line, and no more', async () => {
    const { result } = (await invoke('long:long', { bytes: 9 * MIB })).body
    expect(result.content[0].text).toHaveLength(9 * MIB)
    const tooMuch = (name: string) => ({
      status: 503,
      body: {
        detail: `Server "${name}" was lost in the middle of the call; whether it was done is unknown. The reason: The request has no answer: MCP server "${name}" was ended because it wrote a line of more than 10485760 bytes to stdout.`,
      },
    })
    expect(await invoke('long:long', { bytes: 11 * MIB })).toMatchObject(tooMuch('long'))
    expect(await invoke('flood:flood')).toMatchObject(tooMuch('flood'))
    for (const name of ['long', 'flood']) await composer.whenState(name, 'running')
    expect(textIn(await invoke('flood:echo', { a: 1 }))).toBe('{"a":1}')
  })

  test.each(CARELESS)('in the manner of "%s" never reaches another call', async (name) => {
    // Each answer of a storm comes behind 20,000 other messages.
    const numbers = Array.from({ length: name === 'storm' ? 2 : 20 }, (_, index) => index)
    const overMcp = numbers.map((number) => ada.say(`${name}__echo`, { ada: number }))
    const overRest = numbers.map(async (number) => textIn(await invoke(`${name}:echo`, { rest: number })))
    expect(await Promise.all(overMcp)).toEqual(numbers.map((number) => `{"ada":${number}}`))
    expect(await Promise.all(overRest)).toEqual(numbers.map((number) => `{"rest":${number}}`))
    expect(await serverOf(name)).toMatchObject({ state: 'running', restart_count: 0 })
  })

  test('is refused when it is nested too deeply, and the server lives on', async () => {
    expect((await invoke('deep:echo')).body.detail).toContain('is nested too deeply to be accepted')
    expect(await serverOf('deep')).toMatchObject({ state: 'running', restart_count: 0 })
  })
})
