import { copyFile, cp, lstat, mkdir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { nameOf, parentOf } from '../folder/api-path.ts'
import { codeOf, type Folder, untaken } from '../folder/folder.ts'
import type { WriteFile } from '../folder/write-file.ts'
import {
  EMPTY_NOTEBOOK,
  formatNotebook,
  NotebookFault,
  toNotebook,
  withoutTrust,
} from '../notebook/nbformat.ts'
import type { Rooms } from '../room/rooms.ts'
import {
  type ContentFormat,
  type ContentModel,
  type ContentType,
  copyNames,
  copyTarget,
  numberedNames,
} from './model.ts'
import { badRequest, createContentReader, type ReadOptions } from './read-content.ts'

export interface SaveModel {
  readonly type: ContentType
  readonly format?: ContentFormat | null | undefined
  readonly content?: unknown
}

/** Files and notebooks of the folder. A notebook that is open in a room is what the room says. */
export interface Contents {
  get(path: string, options: ReadOptions): Promise<ContentModel>
  save(path: string, model: SaveModel): Promise<{ readonly model: ContentModel; readonly isNew: boolean }>
  create(folder: string, what: { type: ContentType; extension?: string | undefined }): Promise<ContentModel>
  copy(from: string, folder: string | undefined): Promise<ContentModel>
  rename(from: string, to: string): Promise<ContentModel>
  remove(path: string): Promise<void>
}

export interface ContentsOptions {
  readonly folder: Folder
  readonly rooms: Rooms
  readonly writeFile: WriteFile
  readonly logger: Logger
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/
const PLAIN: ReadOptions = { content: false, hash: false }
/** Jupyter's own answer to a disk that is full is a 500; this says what to do. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

export function createContents({ folder, rooms, writeFile, logger }: ContentsOptions): Contents {
  const readContent = createContentReader(folder, logger)

  async function get(path: string, options: ReadOptions): Promise<ContentModel> {
    await rooms.flush(path)
    return await readContent(path, options)
  }

  async function save(path: string, model: SaveModel) {
    const isNew = !(await folder.exists(path))
    if (model.type === 'directory') await saveFolder(path, isNew)
    else await saveFile(path, model, isNew)
    return { model: await readContent(path, PLAIN), isNew }
  }

  async function saveFolder(path: string, isNew: boolean): Promise<void> {
    if (isNew) return void (await mkdir(await folder.place(path)))
    if (!(await stat(await folder.find(path))).isDirectory()) throw badRequest(`Not a directory: ${path}`)
  }

  async function saveFile(path: string, model: SaveModel, isNew: boolean): Promise<void> {
    const target = await folder.place(path)
    if (await isFolder(target)) throw badRequest(`${path} is a directory`)
    if (model.type === 'notebook') {
      const notebook = withoutTrust(readNotebook(model.content))
      if (await rooms.replace(path, notebook)) return
      // One that had this name before and was deleted is not this one, however alike they begin.
      if (isNew) await rooms.remove(path)
      await writeFile(target, formatNotebook(notebook))
    } else {
      await writeFile(target, bytesOf(model))
    }
  }

  async function create(parent: string, what: { type: ContentType; extension?: string | undefined }) {
    const taken = new Set(await readdir(await findFolder(parent)))
    const path = untaken(parent, namesFor(what), taken)
    const content = what.type === 'notebook' ? EMPTY_NOTEBOOK : ''
    return (await save(path, { type: what.type, format: 'text', content })).model
  }

  async function copy(from: string, parent: string | undefined): Promise<ContentModel> {
    await rooms.flush(from)
    const source = await folder.find(from)
    const into = parent ?? parentOf(from)
    const taken = new Set(await readdir(await findFolder(into)))
    const isElsewhere = parent !== undefined && parent !== parentOf(from) && !taken.has(nameOf(from))
    const path = isElsewhere ? copyTarget(from, parent, nameOf(from)) : untaken(into, copyNames(from), taken)
    const target = await folder.place(path)
    if (await isFolder(source)) {
      if (`${target}/`.startsWith(`${source}/`)) throw badRequest(`${from} cannot be copied into itself`)
      // Links are copied as links: each is looked at when it is followed.
      await cp(source, target, { recursive: true, errorOnExist: true, force: false, verbatimSymlinks: true })
    } else await copyFile(source, target)
    return await readContent(path, PLAIN)
  }

  async function move(from: string, to: string): Promise<ContentModel> {
    if (from === to) return await readContent(from, PLAIN)
    await rooms.flush(from)
    const source = await folder.entry(from)
    const target = await folder.place(to)
    if (await folder.exists(to)) throw new CallerError('conflict', `File already exists: ${to}`)
    if (`${target}/`.startsWith(`${source}/`)) throw badRequest(`${from} cannot be moved into itself`)
    await rename(source, target)
    await rooms.move(from, to)
    return await readContent(to, PLAIN)
  }

  async function remove(path: string): Promise<void> {
    const target = await folder.entry(path)
    const stats = await lstat(target)
    if (stats.isDirectory()) await removeFolder(target, path)
    else await unlink(target)
    await rooms.remove(path)
  }

  async function findFolder(path: string): Promise<string> {
    const found = await folder.find(path)
    if (!(await isFolder(found))) throw badRequest(`${path} is not a directory`)
    return found
  }

  return Object.freeze({
    get,
    save: (path: string, model: SaveModel) => withRoom(() => save(path, model)),
    create: (parent: string, what: { type: ContentType; extension?: string | undefined }) =>
      withRoom(() => create(parent, what)),
    copy: (from: string, parent: string | undefined) => withRoom(() => copy(from, parent)),
    rename: move,
    remove,
  })
}

async function removeFolder(target: string, path: string): Promise<void> {
  try {
    await rmdir(target)
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY') throw badRequest(`Directory ${path} not empty`)
    throw error
  }
}

/** Says of a disk that is full that it is. */
async function withRoom<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!FULL.has(codeOf(error))) throw error
    throw new CallerError('unavailable', 'The disk is full or cannot be written to: nothing was saved.', {
      status: 507,
      cause: error,
    })
  }
}

async function isFolder(target: string): Promise<boolean> {
  const stats = await stat(target).catch((error) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  return stats?.isDirectory() ?? false
}

function readNotebook(content: unknown) {
  try {
    return toNotebook(content)
  } catch (error) {
    if (error instanceof NotebookFault) throw badRequest(`The notebook cannot be saved: ${error.message}`)
    throw error
  }
}

function bytesOf({ content, format }: SaveModel): string | Buffer {
  if (typeof content !== 'string') throw badRequest('The content of a file has to be a text')
  if (format !== 'base64') return content
  if (!BASE64.test(content)) throw badRequest('The content is not base64')
  return Buffer.from(content, 'base64')
}

function namesFor({ type, extension }: { type: ContentType; extension?: string | undefined }) {
  if (type === 'directory') return numberedNames('Untitled Folder', '', ' ')
  return type === 'notebook'
    ? numberedNames('Untitled', '.ipynb')
    : numberedNames('untitled', extension ?? '')
}
