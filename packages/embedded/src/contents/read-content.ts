import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { joinPath } from '../folder/api-path.ts'
import { codeOf, type Folder, notFound } from '../folder/folder.ts'
import { NotebookFault, parseNotebook, withTrust } from '../notebook/nbformat.ts'
import { hashOf, readBounded } from '../room/notebook-file.ts'
import { type ContentFormat, type ContentModel, type ContentType, mimeTypeOf, toModel } from './model.ts'

export interface ReadOptions {
  readonly content: boolean
  readonly hash: boolean
  readonly type?: ContentType | undefined
  readonly format?: ContentFormat | undefined
}

const MOST_ENTRIES = 10_000

/** A file or a folder as the contents API shows it. */
export function createContentReader(folder: Folder, logger: Logger) {
  return async function readContent(path: string, options: ReadOptions): Promise<ContentModel> {
    const real = await folder.find(path)
    const stats = await stat(real)
    if (!stats.isFile() && !stats.isDirectory()) throw notFound(path)
    const model = toModel(path, stats)
    assertType(model, options.type)
    if (model.type === 'directory')
      return options.content ? { ...model, content: await listFolder(real, path), format: 'json' } : model
    if (!options.content && !options.hash) return model
    const { data, stats: read } = await readBounded(real, path)
    return {
      ...model,
      ...times(read),
      ...(options.hash && { hash: hashOf(data), hash_algorithm: 'sha256' }),
      ...(options.content && toContent(path, data, options.type ?? model.type, options.format)),
    }
  }

  async function listFolder(real: string, path: string): Promise<ContentModel[]> {
    const names = (await readdir(real)).filter((name) => !name.startsWith('.')).slice(0, MOST_ENTRIES)
    const models = await Promise.all(names.map((name) => entry(joinPath(path, name))))
    return models.filter((model) => model !== undefined)
  }

  /** What leads out of the folder, or is neither file nor folder, is left out of the list. */
  async function entry(path: string): Promise<ContentModel | undefined> {
    try {
      const stats = await stat(await folder.find(path))
      return stats.isFile() || stats.isDirectory() ? toModel(path, stats) : undefined
    } catch (error) {
      if (!(error instanceof CallerError) && codeOf(error) !== 'ENOENT') throw error
      logger.debug({ path }, 'an entry of a folder is not listed')
      return undefined
    }
  }
}

function assertType(model: ContentModel, wanted: ContentType | undefined): void {
  if (wanted === undefined) return
  const isFolder = model.type === 'directory'
  if (isFolder && wanted !== 'directory') throw badRequest(`${model.path} is a directory, not a ${wanted}`)
  if (!isFolder && wanted === 'directory') throw badRequest(`${model.path} is not a directory`)
}

function toContent(path: string, data: Buffer, type: ContentType, format: ContentFormat | undefined) {
  if (type === 'notebook') {
    const content = readNotebook(path, data)
    return { type, content, format: 'json' as const, mimetype: null }
  }
  const text = format === 'base64' ? undefined : textOf(data)
  if (text === undefined && format === 'text') throw badRequest(`${path} is not UTF-8 encoded`)
  const found = text === undefined ? ('base64' as const) : ('text' as const)
  return {
    type: 'file' as const,
    content: text ?? data.toString('base64'),
    format: found,
    mimetype: mimeTypeOf(path, found),
  }
}

function readNotebook(path: string, data: Buffer) {
  try {
    return withTrust(parseNotebook(data.toString('utf8')))
  } catch (error) {
    if (error instanceof NotebookFault) throw badRequest(`Unreadable Notebook: ${path}: ${error.message}`)
    throw error
  }
}

function textOf(data: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
  } catch {
    return undefined
  }
}

function times({ mtime, size }: Stats) {
  return { last_modified: mtime.toISOString(), size }
}

export function badRequest(message: string): CallerError {
  return new CallerError('validation', message, { status: 400 })
}
