import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createFolder,
  type Folder,
  POLL,
  type RunningComposer,
  roughServer,
  spawnComposer,
  startComposer,
} from './composer.fixture.ts'
import { connectToUrl } from './composer-clients.fixture.ts'

const OLD_KEY = 'the-old-key-0123456789'
const NEW_KEY = 'the-new-key-0123456789'

describe('a configuration that cannot be used', () => {
  const SERVER = '[[servers.proxied.stdio]]\nname = "one"\n'
  /** What stands in the file, or how it is made, and what is said of it behind its name. */
  const FILES: Record<string, [string | Buffer | ((file: string) => unknown), RegExp]> = {
    missing: [(file) => rm(file), /does not exist\. Create it, or name another with --config\.$/],
    'a folder': [(file) => rm(file).then(() => mkdir(file)), /is a folder\. Name the file in it\.$/],
    'a pipe': [
      (file) => rm(file).then(() => execFileSync('/usr/bin/mkfifo', [file])),
      /is not a regular file\.$/,
    ],
    'a link to itself': [
      (file) => rm(file).then(() => symlink(file, file)),
      /is a link that leads to itself\.$/,
    ],
    empty: ['\n', /is empty\. Was it cut off while it was written\?.*"\[servers\]"\.$/],
    'no text': [Buffer.from('[servers]\0'), /is not a text file\.$/],
    'not UTF-8': [Buffer.from([0x5b, 0xff, 0xfe, 0x5d]), /is not written in UTF-8\.$/],
    'too large': ['#'.repeat(1024 * 1024 + 1), /is larger than 1 MiB\. Name another with --config\.$/],
    'half written': [
      `${SERVER}command = ["node", "serv`,
      /cannot be used:\nquire: - line 3, column \d+: the file .+$/,
    ],
    'with an unknown key': [
      '[composer]\nnmae = "x"\n',
      /cannot be used:\nquire: - line 2, column 1: composer\.nmae is not a known key: did you mean "name"\?$/,
    ],
    'with an unset variable': [
      `${SERVER}command = ["node", "\${NO_SUCH_VARIABLE}"]\n`,
      /cannot be used:\nquire: - line 3, column \d+: servers\.proxied\.stdio\[0\]\.command\[1\] .*NO_SUCH_VARIABLE.* is not set.*$/,
    ],
    'with two servers of one name': [
      `${SERVER}command = ["node"]\n${SERVER}command = ["npx"]\n`,
      /cannot be used:\nquire: - line 5, column \d+: servers\.proxied\.stdio\[1\]\.name .+$/,
    ],
    'with servers as others write them': [
      '[[servers]]\nname = "one"\ncommand = "node"\n',
      /cannot be used:\nquire: - line 1, column \d+: servers .*write \[\[servers\.proxied\.stdio\]\] .*$/,
    ],
  }
  const outcomes = new Map<string, { code: number | string; stderr: string; folder: Folder }>()

  beforeAll(async () => {
    await Promise.all(
      Object.entries(FILES).map(async ([name, [content]]) => {
        const folder = await createFolder('')
        if (typeof content === 'function') await content(folder.config)
        else await writeFile(folder.config, content)
        const program = spawnComposer(folder)
        outcomes.set(name, { code: await program.exited, stderr: program.output.stderr, folder })
      }),
    )
  })
  afterAll(() => Promise.all([...outcomes.values()].map(({ folder }) => folder.remove())))

  test.each(Object.entries(FILES))(
    '(%s) ends the start with exit code 1 and a sentence',
    (name, [, sentence]) => {
      const { code, stderr, folder } = outcomes.get(name) ?? {}
      expect(code).toBe(1)
      expect(stderr?.startsWith(`quire: The configuration file ${folder?.config} `), stderr).toBe(true)
      expect(stderr?.trimEnd()).toMatch(sentence)
    },
  )
})

describe('what the file says is warned of at the start', () => {
  const ROLE = '[[authorization.roles]]\nname = "reader"\npermissions = ["tools:list"]\n'
  const DEFAULT_ROLE = '[[authorization.roles]]\nname = "default"\npermissions = ["tools:list"]\n'
  const toml = (roles: string) =>
    `[ui]\npath = "/pages"\nenabled = false\n[authentication]\nenabled = true\n[authentication.api_key]\nkeys = [{ key = "${OLD_KEY}", roles = ["reader"] }]\n[authorization]\nenabled = true\n${roles}`
  const NO_ROLE =
    'only the role \\"default\\", which the file does not have: no tool will be seen. Write [[authorization.roles]]'

  async function logOf(args: readonly string[], roles = ROLE): Promise<string> {
    const folder = await createFolder(toml(roles))
    const program = spawnComposer(folder, { args })
    try {
      await (args.includes('stdio')
        ? program.waitFor(/only the role/, 'stderr')
        : program.waitFor(/REST at \S+\n/))
      await program.stop('SIGTERM')
      return program.output.stderr
    } finally {
      await program.stop('SIGKILL')
      await folder.remove()
    }
  }

  test('a key of no effect by its line, keys of the command line and clients on a pipe that have no role', async () => {
    const [byKey, byFile, byDefault, byPipe] = await Promise.all([
      logOf(['--api-key', NEW_KEY]),
      logOf([]),
      logOf(['--api-key', NEW_KEY], ROLE + DEFAULT_ROLE),
      logOf(['--transport', 'stdio']),
    ])
    expect(byKey).toContain(`the keys of --api-key and COMPOSER_API_KEYS have ${NO_ROLE}`)
    for (const log of [byFile, byDefault]) expect(log).not.toContain('the role')
    expect(byPipe).toContain(`a client on stdio has ${NO_ROLE}`)
    for (const log of [byKey, byPipe])
      expect(log).toMatch(/"path":"ui\.path","line":2,.*has no effect while enabled is false/)
  })
})

describe('with keys', () => {
  let byFile: RunningComposer
  let byEnvironment: RunningComposer
  let byFlag: RunningComposer

  const withKey = (key: string) =>
    `[authentication]\nenabled = true\n[authentication.api_key]\nkeys = ["${key}"]\n`

  beforeAll(async () => {
    const open = await createFolder('[servers]\n')
    const closed = await createFolder((path) => `${withKey(OLD_KEY)}${roughServer(path, 'one')}`)
    ;[byFile, byEnvironment, byFlag] = await Promise.all([
      startComposer(closed, { key: OLD_KEY }),
      startComposer(open, { env: { COMPOSER_API_KEYS: `${OLD_KEY},${NEW_KEY}` } }),
      startComposer({ ...open, file: (name) => open.file(`flag-${name}`) }, { args: ['--api-key', OLD_KEY] }),
    ])
  })
  afterAll(async () => {
    for (const composer of [byFile, byEnvironment, byFlag]) {
      await composer?.stop('SIGKILL')
      await composer?.folder.remove()
    }
  })

  async function statusWith(composer: RunningComposer, key?: string): Promise<number[]> {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const mcp = fetch(`${composer.url}/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    const rest = fetch(`${composer.url}/api/v1/servers`, { headers })
    return (await Promise.all([rest, mcp])).map(({ status }) => status)
  }

  test('of the file, they are asked for', async () => {
    verifies('CO-AUTH-2', 'CO-AUTH-3', 'CO-AUTH-4')
    expect(await statusWith(byFile)).toEqual([401, 401])
    expect(await statusWith(byFile, NEW_KEY)).toEqual([401, 401])
    expect((await statusWith(byFile, OLD_KEY))[0]).toBe(200)
    expect((await byFile.ask('GET', '/config')).text).not.toContain(OLD_KEY)
  })

  test('of the environment, they are asked for', async () => {
    verifies('CO-AUTH-5')
    expect(await statusWith(byEnvironment)).toEqual([401, 401])
    for (const key of [OLD_KEY, NEW_KEY]) expect((await statusWith(byEnvironment, key))[0]).toBe(200)
  })

  test('of the command line, they are asked for', async () => {
    verifies('CO-AUTH-6')
    expect(await statusWith(byFlag)).toEqual([401, 401])
    expect(await statusWith(byFlag, NEW_KEY)).toEqual([401, 401])
    expect((await statusWith(byFlag, OLD_KEY))[0]).toBe(200)
  })

  test('another one in the file ends the old one at the reload, and who is there with it', async () => {
    verifies('CO-AUTH-3', 'CO-CFG-13')
    await byFile.whenState('one', 'running')
    const ada = await connectToUrl(`${byFile.url}/mcp`, 'legacy', 'ada', OLD_KEY)
    expect(await ada.say('one__echo', { a: 1 })).toBe('{"a":1}')
    const hanging = ada.call('one__hang').then(
      () => 'answered',
      () => 'cut off',
    )
    const text = byFile.folder.read('quire.toml')
    await writeFile(byFile.folder.config, text.replace(OLD_KEY, NEW_KEY))
    expect(await byFile.ask('POST', '/config/reload')).toMatchObject({
      status: 200,
      body: { changes: { unchanged: ['one'] } },
    })
    expect(await statusWith(byFile, OLD_KEY)).toEqual([401, 401])
    expect((await statusWith(byFile, NEW_KEY))[0]).toBe(200)
    await expect(ada.call('one__echo')).rejects.toThrow()
    expect(await hanging).toBe('cut off')
    await ada.close()
  })

  test('they cannot be turned off by a reload', async () => {
    const text = byFile.folder.read('quire.toml')
    await writeFile(byFile.folder.config, text.replace('enabled = true', 'enabled = false'))
    const headers = { authorization: `Bearer ${NEW_KEY}` }
    expect(await byFile.ask('POST', '/config/reload', undefined, headers)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('cannot be turned off while the composer runs') },
    })
    expect(await statusWith(byFile)).toEqual([401, 401])
  })

  test('none of them was written anywhere', async () => {
    for (const { output } of [byFile, byEnvironment, byFlag])
      for (const key of [OLD_KEY, NEW_KEY]) expect(output.stdout + output.stderr).not.toContain(key)
    await expect.poll(() => byFlag.output.stderr, POLL).not.toContain('authentication is off')
  })
})
