import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createToken } from '@quire/kit/auth/token'
import { ConfigError } from '@quire/kit/config/config-error'

const SHORTEST_TOKEN = 16

export function tokenFile(dataDir: string): string {
  return join(dataDir, 'token')
}

/** The token of this data folder; made now if there is none. Of two that make it at once, both get the same. */
export function ensureToken(path: string): string {
  const there = readToken(path)
  if (there) return there
  const temporary = writeNew(path)
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  return readToken(path) ?? refuse(path, 'was removed while it was being made: try again')
}

/** A new token, written so that a reader sees the old one or the new one, whole. */
export function rotateToken(path: string): void {
  renameSync(writeNew(path), path)
}

/** Undefined when there is no such file. One that others can read, or that another user wrote, is refused: they have the token. */
export function readToken(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status) return undefined
  if (process.getuid && status.uid !== process.getuid())
    return refuse(path, 'belongs to another user: remove it')
  if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
    return refuse(path, 'can be read by others: run "chmod 600" on it, then "quire token rotate"')
  }
  const token = readFileSync(path, 'utf8').trim()
  if (token.length < SHORTEST_TOKEN) return refuse(path, 'holds no token: run "quire token rotate"')
  return token
}

function writeNew(path: string): string {
  const temporary = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(temporary, { force: true })
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(file, `${createToken()}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return temporary
}

function refuse(path: string, message: string): never {
  throw new ConfigError([{ setting: 'token', origin: path, message }])
}
