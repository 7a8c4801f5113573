import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { codeOf } from './folder.ts'
import { OWN_FOLDER } from './own-folder.ts'

export interface FolderLock {
  /** Idempotent. */
  release(): void
}

const BUSY = 5
const OWNER_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

/**
 * One server at a time on a folder: two would write each other's edits away. The lock is the operating system's, taken through SQLite, since Node.js has none of
 * its own: it ends with the process, however that ends, and no id of a process has to be judged for being alive.
 */
export function lockFolder(root: string): FolderLock {
  const own = join(root, OWN_FOLDER)
  const file = join(own, 'lock')
  const owner = join(own, 'owner')
  for (const path of [own, file])
    if (isLink(path))
      throw new Error(`The folder ${root} cannot be used: ${path} is a link. Remove it, and start again.`)
  mkdirSync(own, { recursive: true })
  const database = new DatabaseSync(file)
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    throw toLockError(error, root, file, owner)
  }
  sign(owner)
  const release = () => {
    process.off('exit', release)
    if (database.isOpen) database.close()
  }
  // Also holds it for whoever does not: a database that nobody refers to is closed by the garbage collector.
  process.once('exit', release)
  return Object.freeze({ release })
}

function sign(owner: string): void {
  const file = openSync(owner, OWNER_FLAGS, 0o600)
  writeSync(file, `${process.pid}\n`)
  closeSync(file)
}

function toLockError(error: unknown, root: string, file: string, owner: string): Error {
  const isBusy = error instanceof Error && 'errcode' in error && error.errcode === BUSY
  if (isBusy)
    return new Error(
      `Another notebook server${nameOwner(owner)} has the folder ${root} open. Stop that one, or choose another folder.`,
      { cause: error },
    )
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(
    `The folder ${root} cannot be locked (${reason}): make it writable, or remove ${file}, and start again.`,
    { cause: error },
  )
}

function nameOwner(owner: string): string {
  try {
    const pid = readFileSync(owner, 'latin1')
    return /^\d{1,10}\n$/.test(pid) ? ` (process ${pid.trim()})` : ''
  } catch {
    // Its name is a courtesy.
    return ''
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}
