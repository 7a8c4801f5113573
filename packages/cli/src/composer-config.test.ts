import { existsSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  createFolder,
  type Folder,
  POLL,
  ROUGH,
  type RunningComposer,
  roughServer,
  startComposer,
} from './composer.fixture.ts'

const TOML = { 'content-type': 'application/toml' }
const ENV_SECRET = 'hush-the-variable'
const HEADER_SECRET = 'hush-the-header'
const MASK = '********'

let folder: Folder
let composer: RunningComposer

beforeAll(async () => {
  folder = await createFolder((path) =>
    [
      '# The servers of my desk.\n[composer]\nname = "desk" # what clients see\n',
      roughServer(path, 'one', 'plain', `env = { API_TOKEN = "${ENV_SECRET}" } # of the account`),
      roughServer(path, 'two', 'plain', 'timeout = 20'),
      roughServer(path, 'exits', 'exits', 'max_restarts = 0'),
      `[[servers.proxied.streamable-http]]\nname = "far" # not today\nurl = "http://127.0.0.1:9/mcp"\nenabled = false\nheaders = { Authorization = "Bearer ${HEADER_SECRET}" }\n`,
    ].join('\n'),
  )
  composer = await startComposer(folder, { args: ['--allow-command', process.execPath] })
  await Promise.all(['one', 'two'].map((name) => composer.whenState(name, 'running')))
})
afterAll(async () => {
  await composer?.stop('SIGKILL')
  await folder?.remove()
})

const onDisk = () => readFile(folder.config, 'utf8')
const getConfig = async () => (await composer.ask('GET', '/config')).body
const getText = async () =>
  (await composer.ask('GET', '/config', undefined, { accept: 'application/toml' })).text
const pidOf = async (name: string) => (await composer.whenState(name, 'running')).pid
const pids = async () => ({ one: await pidOf('one'), two: await pidOf('two') })

test('GET shows the configuration without its secrets', async () => {
  verifies('CO-CFG-1', 'CO-CFG-2', 'CO-CFG-3')
  const { config, path, revision } = await getConfig()
  expect(path).toBe(folder.config)
  expect(revision).toEqual(expect.any(String))
  expect(config.composer).toEqual({ name: 'desk' })
  expect(config.servers.proxied.stdio[0].env).toEqual({ API_TOKEN: MASK })
  expect(config.servers.proxied['streamable-http'][0].headers).toEqual({ Authorization: MASK })
  const text = await getText()
  expect(text).toBe((await onDisk()).replace(ENV_SECRET, MASK).replace(`Bearer ${HEADER_SECRET}`, MASK))
  expect(text).toContain('# what clients see')
})

describe('validate', () => {
  const validate = (body: unknown, headers = {}) => composer.ask('POST', '/config/validate', body, headers)

  test('starts nothing and changes nothing', async () => {
    verifies('CO-CFG-11', 'CO-CFG-12')
    const before = await onDisk()
    const mark = folder.file('mark')
    const touch = `[[servers.proxied.stdio]]\nname = "touch"\ncommand = ["/usr/bin/touch", "${mark}"]\n`
    expect(await validate(touch, TOML)).toMatchObject({
      status: 200,
      body: {
        valid: true,
        errors: [],
        warnings: expect.any(Array),
        refused: [{ path: 'servers.proxied.stdio[0]', message: expect.stringContaining('--allow-command') }],
      },
    })
    const config = { servers: { proxied: { stdio: [{ name: 'touch', command: ['/usr/bin/touch', mark] }] } } }
    expect(await validate({ config })).toMatchObject({ status: 200, body: { valid: true } })
    expect(existsSync(mark)).toBe(false)
    expect(await onDisk()).toBe(before)
    expect((await composer.ask('GET', '/servers')).body.total).toBe(3)
  })

  test('tells every fault with its place, and names unknown keys', async () => {
    verifies('CO-CFG-11')
    const text =
      '[composer]\nnmae = "desk"\nport = 99999\n[[servers.proxied.stdio]]\nname = "a__b"\ncommand = "node"\n'
    const { body } = await validate(text, TOML)
    expect(body).toMatchObject({
      valid: false,
      errors: [
        { path: 'composer.nmae', line: 2, column: 1, message: 'is not a known key: did you mean "name"?' },
        { path: 'composer.port', line: 3, column: 1, message: 'must be a whole number from 1 to 65535' },
        { path: 'servers.proxied.stdio[0].name', line: 5 },
        {
          path: 'servers.proxied.stdio[0].command',
          line: 6,
          message: expect.stringContaining('must be a list'),
        },
      ],
    })
    expect((await validate('[composer\nname = 1', TOML)).body.errors).toMatchObject([{ line: 1 }])
  })
})

describe('PUT', () => {
  const put = (body: unknown, headers = {}) => composer.ask('PUT', '/config', body, headers)

  test('takes JSON: comments and masked secrets survive in the file, and only what changed is restarted', async () => {
    verifies('CO-CFG-4', 'CO-CFG-8', 'CO-CFG-9', 'CO-FILE-4')
    const before = await pids()
    const { config, revision } = await getConfig()
    config.servers.proxied.stdio[1].timeout = 21
    const { status, body } = await put({ config, revision })
    expect(status).toBe(200)
    expect(body.changes).toEqual({ added: [], removed: [], changed: ['two'], unchanged: ['one', 'exits'] })
    expect(body.config.servers.proxied.stdio[0].env).toEqual({ API_TOKEN: MASK })
    expect(body.revision).not.toBe(revision)
    const text = await onDisk()
    for (const part of ['# what clients see', '# not today', ENV_SECRET, HEADER_SECRET, 'timeout = 21'])
      expect(text).toContain(part)
    expect(text).not.toContain(MASK)
    expect(await pidOf('one')).toBe(before.one)
    await expect.poll(() => pidOf('two'), POLL).not.toBe(before.two)
    expect(await getConfig()).toMatchObject({
      revision: body.revision,
      config: { composer: { name: 'desk' } },
    })
  })

  test('takes TOML, as it is shown', async () => {
    verifies('CO-CFG-5', 'CO-CFG-8', 'CO-CFG-9')
    const before = await pids()
    const text = `${await getText()}# A last word.\n`
    const { status, body } = await put(text.replace('name = "desk"', 'name = "table"'), TOML)
    expect(status).toBe(200)
    expect(body.changes).toMatchObject({ changed: [], unchanged: ['one', 'two', 'exits'] })
    const written = await onDisk()
    expect(written).toContain('name = "table" # what clients see')
    expect(written).toContain(`env = { API_TOKEN = "${ENV_SECRET}" } # of the account`)
    expect(written).toMatch(/# A last word\.\n$/)
    expect(await pids()).toEqual(before)
  })

  test('writes the file whole: whoever reads it sees the old or the new one', async () => {
    verifies('CO-CFG-7')
    const texts = new Set<string>()
    let isWriting = true
    const reading = (async () => {
      while (isWriting) texts.add(await onDisk())
    })()
    const base = await getText()
    for (const name of ['a', 'b', 'c']) {
      const padded = `${base}# ${'x'.repeat(100_000)}\n`.replace(/^name = "\w+" #/m, `name = "${name}" #`)
      expect(await put(padded, TOML)).toMatchObject({ status: 200 })
    }
    expect(await put(base, TOML)).toMatchObject({ status: 200 })
    isWriting = false
    await reading
    expect(texts.size).toBeGreaterThan(1)
    for (const text of texts) expect(text).toMatch(/(?:# A last word\.|x{100000})\n$/)
  })

  test.each([
    ['as JSON', (revision: string, config: object) => put({ config, revision })],
    ['by If-Match', (revision: string) => put('[servers]\n', { ...TOML, 'if-match': `"${revision}"` })],
  ])('is refused with a stale revision %s', async (_how, send) => {
    verifies('CO-CFG-10')
    const { config, revision } = await getConfig()
    await appendFile(folder.config, '# Somebody was here.\n')
    const before = await onDisk()
    expect(await send(revision, config)).toMatchObject({
      status: 400,
      body: {
        error_code: 'CONFIG_CONFLICT',
        detail: expect.stringContaining('has changed since you read it'),
      },
    })
    expect(await onDisk()).toBe(before)
  })

  test('is refused with every fault, and nothing is written', async () => {
    verifies('CO-CFG-6')
    const before = await onDisk()
    const text = '[composer]\nport = "high"\ncolour = "red"\n[servers.proxied]\nstdio = 7\n'
    const { status, body } = await put(text, TOML)
    expect(status).toBe(400)
    expect(body.error_code).toBe('CONFIG_INVALID')
    expect(body.detail).toContain('line 2, column 1: composer.port ')
    expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'composer.colour',
      'composer.port',
      'servers.proxied.stdio',
    ])
    for (const { message } of body.errors) expect(message).toMatch(/\(line \d+, column \d+\)$/)
    expect(await onDisk()).toBe(before)
  })

  const withServer = (config: Answer['body'], command: readonly string[], env?: object) => {
    const server = { name: 'new', command, ...(env && { env }) }
    const { proxied } = config.servers
    return { ...config, servers: { proxied: { ...proxied, stdio: [...proxied.stdio, server] } } }
  }

  test.each([
    ['a program that is not allowed', ['/usr/bin/touch', 'MARK'], undefined],
    ['a name in place of the path that is allowed', ['node', 'MARK'], undefined],
    ['code for a program that is allowed', [process.execPath, '-e', 'MARK'], undefined],
    ['a variable that makes it load something else', [process.execPath, 'MARK'], { NODE_OPTIONS: '-r MARK' }],
  ])('is refused with %s, before anything is written', async (_what, command, env) => {
    verifies('CO-CMD-3')
    const before = await onDisk()
    const mark = folder.file('mark')
    const { config } = await getConfig()
    const foreign = command.map((word) => word.replace('MARK', mark))
    expect(await put({ config: withServer(config, foreign, env) })).toMatchObject({
      status: 400,
      body: { error_code: 'COMMAND_NOT_ALLOWED', detail: expect.stringContaining('Server "new"') },
    })
    expect(await onDisk()).toBe(before)
    expect(existsSync(mark)).toBe(false)
    expect((await composer.ask('GET', '/servers/new')).status).toBe(404)
  })

  test('may bring a program that --allow-command names', async () => {
    verifies('CO-CMD-1', 'CO-CFG-8')
    const { config } = await getConfig()
    const changed = withServer(config, [process.execPath, ROUGH, 'plain'])
    expect(await put({ config: changed })).toMatchObject({
      status: 200,
      body: { changes: { added: ['new'] } },
    })
    await composer.whenState('new', 'running')
    expect(await put({ config })).toMatchObject({ status: 200, body: { changes: { removed: ['new'] } } })
    expect((await composer.ask('GET', '/servers/new')).status).toBe(404)
  })
})

describe('reload', () => {
  const reload = () => composer.ask('POST', '/config/reload')

  test('restarts only what changed, and runs what stands in the file, without a shell', async () => {
    verifies('CO-CFG-13', 'CO-CFG-14', 'CO-CMD-2', 'CO-CMD-5')
    const before = await pids()
    const mark = folder.file('mark')
    const hostile = [`; touch ${mark}`, `$(touch ${mark})`, `\`touch ${mark}\``, '&&', '*', '| cat']
    const text = (await onDisk()).replace('timeout = 21', 'timeout = 22')
    // To a configuration "$$" is one dollar sign.
    const args = ['plain', folder.file('env.starts'), ...hostile.map((word) => word.replaceAll('$', '$$$$'))]
    const command = JSON.stringify(['/usr/bin/env', process.execPath, ROUGH, ...args])
    await writeFile(folder.config, `${text}\n[[servers.proxied.stdio]]\nname = "env"\ncommand = ${command}\n`)
    expect(await reload()).toMatchObject({
      status: 200,
      body: { changes: { added: ['env'], removed: [], changed: ['two'], unchanged: ['one', 'exits'] } },
    })
    expect(await pidOf('one')).toBe(before.one)
    await expect.poll(() => pidOf('two'), POLL).not.toBe(before.two)
    await pidOf('env')
    const child = folder.read('env.starts').trim().split('\n').at(-1)
    const words = (await readFile(`/proc/${child}/cmdline`, 'utf8')).split('\0').slice(0, -1)
    expect(words.slice(-hostile.length)).toEqual(hostile)
    expect(existsSync(mark)).toBe(false)
  })

  test('of a faulty file leaves everything as it was', async () => {
    verifies('CO-CFG-15')
    const before = await pids()
    const { config, revision } = await getConfig()
    const good = await onDisk()
    await writeFile(folder.config, `${good}\n[[servers.proxied.stdio]]\nname = "half`)
    expect(await reload()).toMatchObject({
      status: 400,
      body: { error_code: 'CONFIG_INVALID', detail: expect.stringContaining(folder.config) },
    })
    await writeFile(folder.config, '')
    expect(await reload()).toMatchObject({ status: 400 })
    expect(await pids()).toEqual(before)
    expect(await getConfig()).toMatchObject({ config, revision })
    await writeFile(folder.config, good)
    expect(await reload()).toMatchObject({ status: 200, body: { changes: { added: [], changed: [] } } })
    expect(await pids()).toEqual(before)
  })

  test('gives a server another chance that was left alone', async () => {
    verifies('CO-SUP-10')
    const starts = () => folder.read('exits.starts').split('\n').length
    await expect
      .poll(async () => (await composer.ask('GET', '/servers/exits')).body.state, POLL)
      .toBe('crashed')
    const before = starts()
    expect(await reload()).toMatchObject({ status: 200 })
    await expect.poll(starts, POLL).toBeGreaterThan(before)
  })
})

test('no secret was written anywhere', async () => {
  const { body } = await composer.ask('GET', '/servers/one')
  for (const text of [composer.output.stderr, composer.output.stdout, JSON.stringify(body)])
    for (const secret of [ENV_SECRET, HEADER_SECRET]) expect(text).not.toContain(secret)
  expect(body).not.toHaveProperty('env')
})
