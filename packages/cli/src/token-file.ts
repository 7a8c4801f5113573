import {
  closeSync,
  fsyncSync,
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

export function tokenFile(dataDir: string): string {
  return join(dataDir, 'token')
}

/** The token of this data folder; made now if there is none. */
export function ensureToken(path: string): string {
  return readToken(path) ?? writeToken(path)
}

/** Undefined when there is no such file. A file that others can read is refused: whoever read it has the token. */
export function readToken(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status) return undefined
  if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
    throw new ConfigError([
      {
        setting: 'token',
        origin: path,
        message: 'can be read by others: run "chmod 600" on it, then "quire token rotate"',
      },
    ])
  }
  const token = readFileSync(path, 'utf8').trim()
  if (token === '')
    throw new ConfigError([{ setting: 'token', origin: path, message: 'is empty: run "quire token rotate"' }])
  return token
}

/** A new token, written so that a reader sees the old one or the new one, whole. */
export function writeToken(path: string): string {
  const token = createToken()
  const temporary = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(temporary, { force: true })
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(file, `${token}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  return token
}
