import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ComposerError } from '../composer-error.ts'
import { MAX_CONFIG_BYTES } from './toml/parse-toml.ts'

const NEW_FILE_MODE = 0o600

/** Puts the text in the place of the file, wholly or not at all; a link stays a link, and the mode and owner stay as they are. */
export async function writeConfigFile(path: string, text: string): Promise<void> {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
    throw new ComposerError(
      'CONFIG_INVALID',
      'The configuration is larger than 1 MiB and could not be read again.',
    )
  const target = await targetOf(resolve(path))
  const old = await statOf(target)
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeWhole(temporary, text, old)
    await rename(temporary, target)
  } catch (error) {
    // Nothing to remove is as good; what went wrong before is what matters.
    await unlink(temporary).catch(() => undefined)
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`The configuration file ${target} could not be written${code}. It is as it was.`, {
      cause: error,
    })
  }
  await syncFolder(dirname(target))
}

async function writeWhole(file: string, text: string, old: Stats | undefined): Promise<void> {
  const handle = await open(file, 'wx', NEW_FILE_MODE)
  try {
    await handle.writeFile(text)
    // Only where it differs: another's file can be given back to them by root alone.
    const now = await handle.stat()
    if (old && (old.uid !== now.uid || old.gid !== now.gid)) await handle.chown(old.uid, old.gid)
    if (old) await handle.chmod(old.mode & 0o7777)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const isLink = await lstat(path).then(
      (entry) => entry.isSymbolicLink(),
      () => false,
    )
    if (isLink)
      throw new Error(`${path} is a link to a file that does not exist. Create that file.`, { cause: error })
    return path
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** So that the new name outlives a power failure, as the new content does. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
