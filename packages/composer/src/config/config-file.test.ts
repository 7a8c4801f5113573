import { spawnSync } from 'node:child_process'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stdio } from './config.fixture.ts'
import { readConfigFile } from './read-config-file.ts'
import { revisionOf } from './revision.ts'
import { writeConfigFile } from './write-config-file.ts'

/** A standard program of every system we run on. */
const PIPE_MAKER = 'mkfifo'

let folder = ''
const at = (name: string) => join(folder, name)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-config-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

test('a file is read with its text, its revision and what it means', async () => {
  const text = stdio(`working_dir = "\${QUIRE_CONFIG_DIR}/work"\nenv = { A = "\${A}" }`)
  await writeFile(at('quire.toml'), text)
  const loaded = await readConfigFile(at('quire.toml'), { environment: { A: 'b' } })
  expect(loaded).toMatchObject({ path: at('quire.toml'), text, revision: revisionOf(text), warnings: [] })
  expect(loaded.config.servers[0]).toMatchObject({ workingDir: at('work'), env: { A: 'b' } })
})

test.each<[string, () => Promise<unknown>, RegExp]>([
  ['is missing', async () => undefined, /does not exist. Create it, or name another/],
  ['is a folder', () => mkdir(at('quire.toml')), /is a folder/],
  ['is empty', () => writeFile(at('quire.toml'), '\n \n'), /is empty. Was it cut off/],
  [
    'is binary',
    () => writeFile(at('quire.toml'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])),
    /is not a text file/,
  ],
  [
    'is Latin-1',
    () => writeFile(at('quire.toml'), Buffer.from('# caf\xe9', 'latin1')),
    /is not written in UTF-8/,
  ],
  [
    'has ten mebibytes',
    () => writeFile(at('quire.toml'), 'x'.repeat(10 * 1024 * 1024)),
    /is larger than 1 MiB\. Name another with --config\.$/,
  ],
  [
    'is half written',
    () => writeFile(at('quire.toml'), '[[servers.proxied.stdio]]\nname = "a'),
    /line 2, column 8/,
  ],
  ['is a link to itself', () => symlink(at('quire.toml'), at('quire.toml')), /leads to itself/],
  ['is a link to nothing', () => symlink(at('none'), at('quire.toml')), /does not exist/],
  ['is a pipe', async () => spawnSync(PIPE_MAKER, [at('quire.toml')]), /is not a regular file/],
  [
    'has faults',
    () => writeFile(at('quire.toml'), 'x = 1\ny = 2'),
    /line 1, column 1: x is not a known key.*\n.*line 2/s,
  ],
])('a file that %s gives a sentence', async (_, make, sentence) => {
  await make()
  const read = readConfigFile(at('quire.toml'), { environment: {} })
  await expect(read).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(sentence),
  })
})

test.skipIf(process.getuid?.() === 0)('a file that may not be read gives a sentence', async () => {
  await writeFile(at('quire.toml'), 'x = 1', { mode: 0o000 })
  await expect(readConfigFile(at('quire.toml'), { environment: {} })).rejects.toThrow(
    'may not be read by this user',
  )
})

test('a file is replaced whole, with its mode, and nothing is left beside it', async () => {
  verifies('CO-CFG-7')
  await writeFile(at('quire.toml'), 'old')
  await chmod(at('quire.toml'), 0o640)
  const before = await stat(at('quire.toml'))
  await writeConfigFile(at('quire.toml'), 'new')
  const after = await stat(at('quire.toml'))
  expect(await readFile(at('quire.toml'), 'utf8')).toBe('new')
  expect(after.mode & 0o777).toBe(0o640)
  // A new file took the name of the old: nobody can have read half of it.
  expect(after.ino).not.toBe(before.ino)
  expect(await readdir(folder)).toEqual(['quire.toml'])
})

test('a reader sees the old text or the new one, never a part', async () => {
  verifies('CO-CFG-7')
  const texts = ['a', 'b'].map((letter) => letter.repeat(500_000))
  await writeFile(at('quire.toml'), texts[0] ?? '')
  const writing = (async () => {
    for (let round = 0; round < 20; round += 1)
      await writeConfigFile(at('quire.toml'), texts[round % 2] ?? '')
  })()
  let isWriting = true
  const done = writing.finally(() => {
    isWriting = false
  })
  while (isWriting) expect(texts).toContain(await readFile(at('quire.toml'), 'utf8'))
  await done
})

test('a write that fails leaves the old file and nothing else', async () => {
  verifies('CO-CFG-7')
  await mkdir(at('quire.toml'))
  await writeFile(join(at('quire.toml'), 'inside'), 'kept')
  await expect(writeConfigFile(at('quire.toml'), 'new')).rejects.toThrow('could not be written')
  expect(await readdir(folder)).toEqual(['quire.toml'])
  expect(await readdir(at('quire.toml'))).toEqual(['inside'])
})

test('a link stays a link, and what it leads to changes', async () => {
  await mkdir(at('real'))
  await writeFile(at('real/config.toml'), 'old')
  await symlink('real/config.toml', at('quire.toml'))
  await writeConfigFile(at('quire.toml'), 'new')
  expect((await lstat(at('quire.toml'))).isSymbolicLink()).toBe(true)
  expect(await readFile(at('real/config.toml'), 'utf8')).toBe('new')
})

test('a link to nothing is not written through', async () => {
  await symlink(at('none'), at('quire.toml'))
  await expect(writeConfigFile(at('quire.toml'), 'new')).rejects.toThrow(
    'is a link to a file that does not exist',
  )
})

test('a new file is for its owner alone', async () => {
  await writeConfigFile(at('quire.toml'), 'new')
  expect((await stat(at('quire.toml'))).mode & 0o777).toBe(0o600)
})

test('what could not be read again is not written', async () => {
  await expect(writeConfigFile(at('quire.toml'), 'x'.repeat(1024 * 1024 + 1))).rejects.toThrow(
    'larger than 1 MiB',
  )
  expect(await readdir(folder)).toEqual([])
})

test('a revision is short and tells texts apart', () => {
  expect(revisionOf('a')).toMatch(/^[0-9a-f]{16}$/)
  expect(revisionOf('a')).toBe(revisionOf('a'))
  expect(revisionOf('a')).not.toBe(revisionOf('a\n'))
})
