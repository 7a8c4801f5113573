import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { POLL } from './composer.fixture.ts'
import {
  createRuntimeFolder,
  type RuntimeFolder,
  readFrames,
  runRuntime,
  startRuntime,
} from './runtime.fixture.ts'

let folder: RuntimeFolder
beforeAll(async () => {
  folder = await createRuntimeFolder()
})
afterAll(() => folder.remove())

const KEY = 'configured-0123456789'

describe.each<[string, readonly string[], RegExp]>([
  [
    'an unknown operation',
    ['--rate-limit', 'promtAgent=1/m'],
    /--rate-limit \("promtAgent"\): is no operation .*promptAgent/,
  ],
  ['an unknown provider', ['--model', 'nobody:x'], /--model \(nobody:x\): There is no model/],
  [
    'a toolset that there is not',
    ['--require-toolset', 'x'],
    /--require-toolset \(x\): is no configured toolset/,
  ],
  ['a file that there is not', ['--mcp-config', '/nowhere/mcp.json'], /--mcp-config .*cannot be read/],
  [
    'a database that there is not',
    ['--database', 'postgres://ada:canary@127.0.0.1:1/x'],
    /--database \(PostgreSQL\)/,
  ],
  ['half of a certificate', ['--tls-cert', 'x.pem'], /--tls-cert and --tls-key/],
  [
    'an address for everybody',
    ['--host', '0.0.0.0'],
    /--host \(0\.0\.0\.0\): is reached from other machines/,
  ],
  ['two doors', ['--insecure-runtime-noauth', '--api-key', KEY], /leave one of the two out/],
])('with %s', (_what, args, said) => {
  test('it does not start, and says why in a line', async () => {
    const { code, stdout, stderr } = await runRuntime(folder, ['serve', '--port', '0'], { args })
    expect(stderr).toMatch(said)
    expect(stderr).not.toMatch(/canary|\n {4}at /)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })
})

test('an mcp.json with an unset variable is refused by the name of the variable', async () => {
  verifies('RT-TOOLSET-10')
  const file = folder.file('wrong.json')
  await writeFile(file, `{"mcpServers":{"a":{"command":"\${NO_SUCH_VARIABLE}"},"b":{}}}`)
  const { code, stderr } = await runRuntime(folder, ['serve', '--mcp-config', file])
  expect(code).toBe(1)
  expect(stderr).toContain('NO_SUCH_VARIABLE')
  expect(stderr).toContain('server "b"')
})

test('a port that is taken is said, and no program is left behind', async () => {
  const own = await createRuntimeFolder({ sample: true })
  const first = await startRuntime(folder)
  onTestFinished(async () => {
    await first.stop('SIGKILL')
    await own.remove()
  })
  const { code, stderr } = await runRuntime(own, ['serve', '--port', String(first.port)])
  expect(code).toBe(1)
  expect(stderr).toContain('EADDRINUSE')
  expect(existsSync(own.file('sample.starts'))).toBe(false)
})

describe('keys', () => {
  test.each([
    ['RUNTIME_API_KEYS', [], { RUNTIME_API_KEYS: `another-0123456789ab,${KEY}` }],
    ['--api-key', ['--api-key', KEY], {}],
  ])('of %s are asked for, and never logged', async (_what, args, env) => {
    verifies('RT-AUTH-2', 'RT-AUTH-3', 'RT-AUTH-4')
    const runtime = await startRuntime(folder, { args, env })
    onTestFinished(() => void runtime.stop('SIGKILL'))
    const status = async (key?: string) => (await runtime.ask('GET', 'agents', key ? { key } : {})).status
    expect([await status(), await status('wrong-0123456789abc'), await status(KEY)]).toEqual([401, 401, 200])
    expect(await runtime.stop()).toBe(0)
    expect(runtime.output.stdout + runtime.output.stderr).not.toContain(KEY)
  })

  test('are issued, counted and revoked while the server runs', async () => {
    verifies('RT-AUTH-5', 'RT-AUTH-6', 'RT-AUTH-7', 'RT-CONV-12', 'RT-PROMPT-8')
    const own = await createRuntimeFolder({ sample: true })
    const runtime = await startRuntime(own)
    onTestFinished(async () => {
      await runtime.stop('SIGKILL')
      await own.remove()
    })
    const status = async (key?: string, path = 'agents') =>
      (await runtime.ask('GET', path, key ? { key } : {})).status
    const issue = async (...args: string[]) =>
      (await runRuntime(own, ['keys', 'issue'], { args })).stdout.trim()
    expect(await status()).toBe(200)
    const ada = await issue('--name', 'ada')
    expect(ada).toMatch(/^quire_\S+$/)
    await expect.poll(() => status(), POLL).toBe(401)
    expect(await status(ada)).toBe(200)
    const reader = await issue('--name', 'reader', '--scope', 'agents:read', '--expires-in-days', '1')
    await expect.poll(() => status(reader), POLL).toBe(200)
    const body = { message: 'call sample__wait with {"steps": 10000}', conversation_id: 'of-ada' }
    expect((await runtime.ask('POST', 'agents/guide/prompt', { key: reader, body })).status).toBe(403)
    const stream = await runtime.ask('POST', 'agents/guide/prompt', { key: ada, body })
    expect(await status(ada, 'conversations/of-ada')).toBe(200)
    expect(await status(reader, 'conversations/of-ada')).toBe(404)
    const list = async () => JSON.parse((await runRuntime(own, ['keys', 'list', '--json'])).stdout)
    const [first, second] = await list()
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect([first, second]).toEqual([
      { id: first.id, name: 'ada', created_at: time },
      { id: second.id, name: 'reader', scopes: ['agents:read'], created_at: time, expires_at: time },
    ])
    expect((await runRuntime(own, ['keys', 'list'])).stdout).toMatch(
      /\treader\tagents:read\tissued \S+\tuntil \S+\n/,
    )
    expect(JSON.stringify(await list())).not.toContain(ada.slice(6, 30))
    const revoked = await runRuntime(own, ['keys', 'revoke', first.id])
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining(first.id) })
    const frames = await readFrames(stream)
    expect(frames.some(({ frame }) => frame.type === 'done')).toBe(false)
    expect(await status(ada)).toBe(401)
    expect((await runRuntime(own, ['keys', 'revoke', first.id])).code).toBe(1)
    expect((await runRuntime(own, ['keys', 'revoke', second.id])).code).toBe(0)
    await expect.poll(() => status(reader), POLL).toBe(401)
    expect(await status()).toBe(401)
    const shown = (await runRuntime(own, ['keys', 'list'])).stdout
    expect(shown.trim().split('\n')).toHaveLength(2)
    expect(shown).toMatch(/\tada\tall scopes\tissued \S+\trevoked /)
  })

  test('a wrong name of a key is refused before anything is opened', async () => {
    const { code, stderr } = await runRuntime(folder, ['keys', 'issue'])
    expect(code).toBe(1)
    expect(stderr).toContain('--name')
  })
})

test('toolsets and the database are where the environment says', async () => {
  verifies('RT-TOOLSET-5', 'RT-TOOLSET-8', 'RT-TOOLSET-9', 'ALL-DATA-6')
  const own = await createRuntimeFolder({ sample: true })
  onTestFinished(own.remove)
  const text = await readFile(own.file('mcp.json'), 'utf8')
  const named = text
    .replace('"both"', `"\${SAMPLE_ERA:-both}"`)
    .replace(JSON.stringify(process.execPath), `"\${NODE_OF_SAMPLE}"`)
  await writeFile(own.file('mcp.json'), named)
  const env = { NODE_OF_SAMPLE: process.execPath, DATABASE_URL: `sqlite:${own.file('elsewhere.db')}` }
  const runtime = await startRuntime(own, { env })
  onTestFinished(async () => void (await runtime.stop('SIGKILL')))
  await expect
    .poll(async () => (await runtime.read('configure/mcp-toolsets-status')).ready_count, POLL)
    .toBe(1)
  await runtime.ask('POST', 'agents/guide/prompt/sync', { body: { message: 'help' } })
  expect([existsSync(own.file('elsewhere.db')), existsSync(own.file('quire.db'))]).toEqual([true, false])
})
