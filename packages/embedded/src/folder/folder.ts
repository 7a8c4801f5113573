import { mkdirSync, realpathSync } from 'node:fs'
import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { CallerError } from '@quire/kit/errors'
import { isHidden, joinPath, nameOf, parentOf, parseApiPath } from './api-path.ts'

/** The notebooks' folder, which nothing leads out of: no name, and no link on the way. */
export interface Folder {
  readonly root: string
  /** Where something that is there lies, links followed. Throws 404. */
  find(path: string): Promise<string>
  /** Where something may be put that is there or not: its folder has to be. Throws 404 or 400. */
  place(path: string): Promise<string>
  /** Where the entry itself is of something that is there: of a link, not what it points to. Throws 404 or 400. */
  entry(path: string): Promise<string>
  /** As `place`, for what this server keeps for itself and does not serve. */
  placeOwn(path: string): Promise<string>
  /** Makes a folder of this server's own, and those on the way to it. */
  makeOwn(path: string): Promise<void>
  exists(path: string): Promise<boolean>
}

export function createFolder(folder: string): Folder {
  mkdirSync(folder, { recursive: true })
  const root = realpathSync(folder)

  async function find(text: string): Promise<string> {
    const path = parseApiPath(text)
    if (isHidden(path)) throw notFound(path)
    const real = await realPathOf(join(root, path))
    if (real === undefined || !isServed(real)) throw notFound(path)
    return real
  }

  async function place(text: string): Promise<string> {
    const path = parseApiPath(text)
    if (path === '') throw new CallerError('validation', 'The folder itself is no file.', { status: 400 })
    if (isHidden(path))
      throw new CallerError('validation', `Hidden files are not served here: ${path}`, { status: 400 })
    return await placeIn(path, isServed)
  }

  async function entry(text: string): Promise<string> {
    const path = parseApiPath(text)
    await find(path)
    if (path === '') throw new CallerError('validation', 'The folder itself stays.', { status: 400 })
    return join(await find(parentOf(path)), nameOf(path))
  }

  async function placeIn(path: string, mayHold: (real: string) => boolean): Promise<string> {
    const parent = await realPathOf(join(root, parentOf(path)))
    if (parent === undefined || !mayHold(parent) || !(await stat(parent)).isDirectory())
      throw notFound(parentOf(path))
    const target = join(parent, nameOf(path))
    const isThere = await lstat(target).then(() => true, ignoreMissing)
    if (!isThere) return target
    const real = await realPathOf(target)
    // A link to nothing would be written through to wherever it points.
    if (real === undefined || !mayHold(real)) throw notFound(path)
    return real
  }

  /** One after the other: a link on the way must not be followed before it was looked at. */
  async function makeOwn(path: string): Promise<void> {
    let made = ''
    for (const name of path.split('/')) {
      made = joinPath(made, name)
      await mkdir(await placeIn(made, isInside)).catch(ignoreExisting)
    }
  }

  function isInside(real: string): boolean {
    return real === root || real.startsWith(root + sep)
  }

  function isServed(real: string): boolean {
    return isInside(real) && !isHidden(relative(root, real).split(sep).join('/'))
  }

  return Object.freeze({
    root,
    find,
    place,
    entry,
    placeOwn: (path: string) => placeIn(path, isInside),
    makeOwn,
    exists: (path: string) => find(path).then(() => true, isNotFound),
  })
}

/** Undefined where there is nothing. */
async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])

function ignoreMissing(error: unknown): false {
  if (MISSING.has(codeOf(error))) return false
  throw error
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

function isNotFound(error: unknown): false {
  if (error instanceof CallerError && error.problem.status === 404) return false
  throw error
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

export function notFound(path: string): CallerError {
  return new CallerError('not_found', `No such file or directory: ${path}`)
}

export function untaken(folder: string, names: Iterable<string>, taken: ReadonlySet<string>): string {
  for (const name of names) if (!taken.has(name)) return joinPath(folder, name)
  throw new CallerError('conflict', `No name is left in "${folder}": rename or delete some files.`)
}
