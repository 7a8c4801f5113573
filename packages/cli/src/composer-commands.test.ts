import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { Command } from 'commander'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addComposerCommands } from './commands/composer/commands.ts'
import {
  createFolder,
  type Folder,
  isAlive,
  PLAIN,
  POLL,
  type RunningComposer,
  roughServer,
  runQuire,
  startComposer,
  stdioServer,
} from './composer.fixture.ts'

const KEY = 'the-key-of-the-commands-0123'

let folder: Folder
let composer: RunningComposer

beforeAll(async () => {
  folder = await createFolder((path) => [stdioServer('plain', PLAIN), roughServer(path, 'rough')].join('\n'))
  composer = await startComposer(folder, { args: ['--api-key', KEY], key: KEY })
  await Promise.all(['plain', 'rough'].map((name) => composer.whenState(name, 'running')))
})
afterAll(async () => {
  await composer?.stop('SIGKILL')
  await folder?.remove()
})

/** With a data folder of its own for those that start servers themselves. */
const quire = (...args: string[]) =>
  runQuire(['composer', ...args], { env: { QUIRE_DATA_DIR: folder.file('other'), HOME: folder.path } })
const running = () => ['--url', composer.url, '--api-key', KEY]

describe('validate', () => {
  test('says that a file is in order, with its warnings, and starts nothing', async () => {
    verifies('CO-CLI-1')
    const mark = folder.file('mark')
    const file = folder.file('other.toml')
    await writeFile(
      file,
      `[[servers.proxied.stdio]]\nname = "touch"\ncommand = ["/usr/bin/touch", "${mark}"]\nmax_queued = 5\n[transport]\nsse_path = "/old"\n`,
    )
    const { code, stdout, stderr } = await quire('validate', '--config', file)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^warning: line 6, column 1: transport\.sse_path .+\n/)
    expect(stdout).toContain(`${file} is in order. Servers: touch (stdio).\n`)
    expect(existsSync(mark)).toBe(false)
  })

  test('says all that is wrong with one', async () => {
    const file = folder.file('wrong.toml')
    await writeFile(file, '[composer]\nport = 0\ncolour = "red"\n')
    const { code, stdout, stderr } = await quire('validate', '--config', file)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd().split('\n')).toEqual([
      `quire: The configuration file ${file} cannot be used:`,
      'quire: - line 2, column 1: composer.port must be a whole number from 1 to 65535',
      expect.stringMatching(/^quire: - line 3, column 1: composer\.colour is not a known key: /),
    ])
  })
})

describe('tools', () => {
  test('of the composer that runs: all, found by words, of one server, as JSON', async () => {
    verifies('CO-TOOL-4', 'CO-TOOL-5', 'CO-CLI-2')
    const [all, found, ofRough, json] = await Promise.all([
      quire('tools', ...running()),
      quire('tools', ...running(), '--search', 'adds two'),
      quire('tools', ...running(), '--server', 'rough'),
      quire('tools', ...running(), '--json', '--search', 'structured'),
    ])
    expect(all.stderr).toBe('')
    expect(all.stdout.split('\n')).toEqual(
      expect.arrayContaining(['plain:echo  Says what it is told', 'rough:echo']),
    )
    expect(found.stdout).toBe('plain:structured  Adds two numbers\n')
    expect(ofRough.stdout.trim().split('\n')).toHaveLength(9)
    expect(JSON.parse(json.stdout)).toMatchObject([
      { name: 'plain:structured', server: 'plain', output_schema: { type: 'object' } },
    ])
    for (const { code } of [all, found, ofRough, json]) expect(code).toBe(0)
  })

  test('of the file: its servers are started, and stopped again', async () => {
    verifies('CO-CLI-2')
    const before = folder.read('rough.starts')
    const { code, stdout, stderr } = await quire('tools', '--config', folder.config, '--server', 'rough')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trim().split('\n')).toHaveLength(9)
    const own = folder.read('rough.starts').slice(before.length).trim().split('\n').map(Number)
    expect(own.length).toBeGreaterThanOrEqual(1)
    await expect.poll(() => own.filter(isAlive), POLL).toEqual([])
    // And those of the composer that runs are left alone.
    expect((await composer.ask('GET', '/servers/rough')).body).toMatchObject({ restart_count: 0 })
  })

  test('of a file that asks its clients for keys and roles: whoever has the file needs neither', async () => {
    const file = folder.file('closed.toml')
    const access = `[authentication]\nenabled = true\n[authentication.api_key]\nkeys = [{ key = "${KEY}", roles = ["reader"] }]\n[authorization]\nenabled = true\n[[authorization.roles]]\nname = "reader"\npermissions = ["tools:list"]\n[api]\nenabled = false\n`
    await writeFile(file, access + roughServer(folder.path, 'own'))
    expect(await quire('invoke', '--config', file, 'own:echo', '{"a": 1}')).toEqual({
      code: 0,
      stdout: '{"a":1}\n',
      stderr: '',
    })
  })

  test('of a file whose server does not start: why it is missing', async () => {
    const file = folder.file('broken.toml')
    await writeFile(file, '[[servers.proxied.stdio]]\nname = "broken"\ncommand = ["/no/such/program"]\n')
    expect(await quire('tools', '--config', file)).toEqual({
      code: 0,
      stdout: 'There are no tools.\n',
      stderr: expect.stringMatching(
        /^warning: server "broken" could not be started: "\/no\/such\/program" does not exist .*\n$/,
      ),
    })
  })

  test('nothing found, nobody there, no key, and a wrong one', async () => {
    const [nothing, nobody, noKey, wrongKey] = await Promise.all([
      quire('tools', ...running(), '--search', 'no such words'),
      quire('tools', '--url', 'http://127.0.0.1:2'),
      quire('tools', '--url', composer.url),
      quire('tools', '--url', composer.url, '--api-key', 'another-key-0123456789'),
    ])
    expect(nothing).toMatchObject({ code: 0, stdout: 'There are no tools.\n' })
    expect(nobody).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^quire: Nothing can be asked at http:\/\/127\.0\.0\.1:2 .*Start it with "quire composer serve"\.\n$/,
      ),
    })
    const give = 'give one with --api-key or COMPOSER_API_KEY.'
    expect(noKey).toMatchObject({
      code: 1,
      stderr: `quire: The composer at ${composer.url} asks for a key: ${give}\n`,
    })
    expect(wrongKey).toMatchObject({
      code: 1,
      stderr: `quire: The composer at ${composer.url} does not know this key: ${give}\n`,
    })
  })
})

describe('invoke', () => {
  const invoke = (...args: string[]) => quire('invoke', ...running(), ...args)

  test('prints text as text, and anything else as JSON', async () => {
    verifies('CO-INVOKE-1', 'CO-CLI-3')
    const file = folder.file('arguments.json')
    await writeFile(file, '{"text": "from a file"}')
    const [text, ofFile, image, json] = await Promise.all([
      invoke('plain:echo', '{"text": "two\\nlines"}'),
      invoke('plain:echo', `@${file}`),
      invoke('plain:image'),
      invoke('plain:structured', '{"a": 1, "b": 2}', '--json'),
    ])
    expect(text).toEqual({ code: 0, stdout: 'two\nlines\n', stderr: '' })
    expect(ofFile).toEqual({ code: 0, stdout: 'from a file\n', stderr: '' })
    expect(JSON.parse(image.stdout).content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(JSON.parse(json.stdout)).toMatchObject({ structuredContent: { sum: 3 } })
    expect(json.stdout.trim().split('\n')).toHaveLength(1)
  })

  test('fails with the tool, and with whatever was asked wrongly', async () => {
    verifies('CO-INVOKE-4')
    const [failing, noJson, noObject, noFile, unknown, misfit] = await Promise.all([
      invoke('plain:fail'),
      invoke('plain:echo', '{text: 1}'),
      invoke('plain:echo', '[1]'),
      invoke('plain:echo', `@${folder.file('nowhere.json')}`),
      invoke('plain:ehco'),
      invoke('plain:echo', '{"text": 7}'),
    ])
    expect(failing).toEqual({ code: 1, stdout: 'no luck\n', stderr: '' })
    expect(noJson.stderr).toBe(
      `quire: The arguments must be a JSON object, such as '{"path": "notes.txt"}', and are: {text: 1}\n`,
    )
    expect(noObject.stderr).toContain('must be a JSON object')
    expect(noFile.stderr).toMatch(/^quire: The arguments in .*nowhere\.json cannot be read: .*ENOENT/)
    expect(unknown.stderr).toMatch(/^quire: There is no tool "plain:ehco"\. Did you mean .*"plain:echo"/)
    expect(misfit.stderr).toMatch(/^quire: The arguments do not fit the tool "plain:echo"\. .*text/)
    for (const { code, stdout } of [noJson, noObject, noFile, unknown, misfit])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  test('works without a composer that runs', async () => {
    const call = await quire('invoke', '--config', folder.config, 'rough:echo', '{"a": 1}')
    expect(call).toEqual({ code: 0, stdout: '{"a":1}\n', stderr: '' })
  })
})

test('discover prints what the clients of a home know, and validate takes it', async () => {
  verifies('CO-CLI-4')
  const home = await createFolder('')
  const files = {
    '.cursor/mcp.json': '{"mcpServers": {"first": {"command": "npx", "env": {"TOKEN": "hush-hush"}}}}',
    '.codex/config.toml': '[mcp_servers.second]\nurl = "https://example.org/mcp"\n',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(home.file(name)), { recursive: true })
    await writeFile(home.file(name), text)
  }
  const options = { env: { HOME: home.path, FIRST_TOKEN: 'from-elsewhere' }, cwd: home.path }
  const { code, stdout, stderr } = await runQuire(['composer', 'discover'], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).not.toContain('hush-hush')
  expect(parse(stdout)).toMatchObject({
    servers: {
      proxied: {
        stdio: [{ name: 'first', env: { TOKEN: `\${FIRST_TOKEN}` } }],
        'streamable-http': [{ name: 'second', url: 'https://example.org/mcp' }],
      },
    },
  })
  await writeFile(home.config, stdout)
  expect((await runQuire(['composer', 'validate'], options)).stdout).toContain(
    'quire.toml is in order. Servers: first (stdio), second (http).',
  )
  await home.remove()
})

describe('--help', () => {
  const WORDS: Record<string, readonly string[]> = {
    '': ['serve', 'validate', 'tools', 'invoke', 'discover', 'bridge', 'Examples:'],
    serve: [
      '--config',
      '--allow-command',
      '--api-key',
      '--port',
      '8080',
      '--transport',
      '--data',
      'Examples:',
    ],
    validate: ['--config'],
    tools: ['--search', '--server', '--url', '--json', 'Examples:'],
    invoke: ['NAME', 'ARGUMENTS', '@FILE', '--url', 'Examples:'],
    discover: ['TOML'],
    bridge: ['--url', '--token', '--sse', 'MCP_TOKEN'],
  }
  const composer = new Command('composer')
  addComposerCommands(composer)

  function helpOf(name: string): string {
    const command = name === '' ? composer : composer.commands.find((one) => one.name() === name)
    let text = ''
    command?.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
    return text
  }

  test('is printed by the program', async () => {
    const { code, stdout, stderr } = await quire('serve', '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const word of WORDS.serve ?? []) expect(stdout).toContain(word)
  })

  test.each(Object.entries(WORDS))('of "%s" names what there is', (command, words) => {
    for (const word of words) expect(helpOf(command)).toContain(word)
  })
})
