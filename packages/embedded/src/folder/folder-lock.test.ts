import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder, removeFolder, startEmbedded } from '../fixtures/start-embedded.ts'
import { lockFolder } from './folder-lock.ts'

let folder: string

beforeEach(() => {
  folder = newFolder()
})

afterEach(() => removeFolder(folder))

test('a second server on the folder is refused by name, and may have it when the first is closed', async () => {
  const first = await startEmbedded({ folder })
  try {
    await expect(startEmbedded({ folder })).rejects.toThrow(
      `Another notebook server (process ${process.pid}) has the folder ${folder} open`,
    )
    await expect(startEmbedded({ folder: `${folder}/../${folder.split('/').at(-1)}` })).rejects.toThrow(
      'Another notebook server',
    )
  } finally {
    await first.stop()
  }
  await (await startEmbedded({ folder })).stop()
})

test('another process that is killed leaves no lock behind', async () => {
  const module = pathToFileURL(join(import.meta.dirname, 'folder-lock.ts')).href
  // Which forgets it: it has it all the same.
  const script = `(await import(${JSON.stringify(module)})).lockFolder(${JSON.stringify(folder)}); gc(); await 0; gc(); console.log('locked'); setInterval(() => {}, 1e6)`
  const other = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(other.stdout, 'data')
    expect(() => lockFolder(folder)).toThrow(`(process ${other.pid})`)
  } finally {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
  const lock = lockFolder(folder)
  lock.release()
  lock.release()
})

test('a file of the lock that is none, or a link, is said and left as it is', async () => {
  lockFolder(folder).release()
  await writeFile(join(folder, '.quire/lock'), 'x'.repeat(5_000))
  expect(() => lockFolder(folder)).toThrow('remove')
  const linked = newFolder()
  try {
    await symlink(folder, join(linked, '.quire'))
    expect(() => lockFolder(linked)).toThrow('is a link')
  } finally {
    await removeFolder(linked)
  }
})
