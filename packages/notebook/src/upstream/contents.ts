import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import { parseServerPath } from './address.ts'
import { parseModel } from './parse-model.ts'
import type { JupyterServer } from './server.ts'

export type FileType = 'notebook' | 'file' | 'directory'

/** A file or folder on the server. */
export interface FileEntry {
  readonly name: string
  readonly path: string
  readonly type: FileType
  readonly size: number | null
  /** ISO 8601; empty where the server does not know. */
  readonly lastModified: string
  /** Of the content; since jupyter_server 2.11. */
  readonly hash?: string
  readonly writable: boolean
  /** Of a file: its text, or the notebook. */
  readonly content?: unknown
}

export interface ReadOptions {
  /** True unless told otherwise. */
  readonly content?: boolean
  /** Refused by the server when the file is of another type. */
  readonly type?: FileType
  readonly signal?: AbortSignal | undefined
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined
}

/** Paths are relative to the server's root, such as `folder/x.ipynb`; the root itself is the empty string. */
export interface Contents {
  get(path: string, options?: ReadOptions): Promise<FileEntry>
  /** What is in a folder. */
  list(path: string, options?: WriteOptions): Promise<readonly FileEntry[]>
  /** Writes a notebook over what is there. */
  save(path: string, notebook: unknown, options?: WriteOptions): Promise<FileEntry>
  /** Writes a notebook where nothing is yet. */
  create(path: string, notebook: unknown, options?: WriteOptions): Promise<FileEntry>
  createFolder(path: string, options?: WriteOptions): Promise<FileEntry>
  rename(from: string, to: string, options?: WriteOptions): Promise<FileEntry>
  delete(path: string, options?: WriteOptions): Promise<void>
  checkpoint(path: string, options?: WriteOptions): Promise<void>
}

const FileModel = z.object({
  name: z.string(),
  path: z.string(),
  type: z.enum(['notebook', 'file', 'directory']).catch('file'),
  size: z.number().nullish(),
  last_modified: z.string().nullish(),
  hash: z.string().nullish(),
  writable: z.boolean().nullish(),
  content: z.unknown().optional(),
})
const FolderModel = z.object({ type: z.literal('directory'), content: z.array(FileModel) })

/** Large notebooks and slow disks take their time. */
const TIMEOUT_MS = 60_000

export function createContents(server: JupyterServer): Contents {
  const urlOf = (path: string) => ['api', 'contents', ...parseServerPath(path)]
  const toEntry = (answer: unknown) => toFileEntry(parseModel(FileModel, answer, { what: 'a file', server }))

  async function get(path: string, { content = true, type, signal }: ReadOptions = {}): Promise<FileEntry> {
    const query = { content: content ? '1' : '0', hash: '1', ...(type && { type }) }
    return toEntry(await server.request('GET', urlOf(path), { query, signal, timeoutMs: TIMEOUT_MS }))
  }

  async function put(path: string, body: object, { signal }: WriteOptions): Promise<FileEntry> {
    return toEntry(await server.request('PUT', urlOf(path), { body, signal, timeoutMs: TIMEOUT_MS }))
  }

  const save = (path: string, notebook: unknown, options: WriteOptions = {}) =>
    put(path, { type: 'notebook', format: 'json', content: notebook }, options)

  return Object.freeze({
    get,
    save,

    async list(path: string, { signal }: WriteOptions = {}) {
      const query = { content: '1', type: 'directory' }
      const answer = await server.request('GET', urlOf(path), { query, signal, timeoutMs: TIMEOUT_MS })
      return parseModel(FolderModel, answer, { what: 'a folder', server }).content.map(toFileEntry)
    },

    async create(path: string, notebook: unknown, options: WriteOptions = {}) {
      if (await exists(path, options.signal)) {
        throw new ToolError(
          'conflict',
          `${JSON.stringify(path)} already exists and is not overwritten. Choose another name, or open it.`,
        )
      }
      return save(path, notebook, options)
    },

    createFolder: (path: string, options: WriteOptions = {}) => put(path, { type: 'directory' }, options),

    async rename(from: string, to: string, { signal }: WriteOptions = {}) {
      const body = { path: parseServerPath(to).join('/') }
      return toEntry(await server.request('PATCH', urlOf(from), { body, signal, timeoutMs: TIMEOUT_MS }))
    },

    async delete(path: string, { signal }: WriteOptions = {}) {
      await server.request('DELETE', urlOf(path), { signal, timeoutMs: TIMEOUT_MS })
    },

    async checkpoint(path: string, { signal }: WriteOptions = {}) {
      await server.request('POST', [...urlOf(path), 'checkpoints'], { signal, timeoutMs: TIMEOUT_MS })
    },
  })

  async function exists(path: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await get(path, { content: false, signal })
      return true
    } catch (error) {
      if (error instanceof ToolError && error.code === 'not_found') return false
      throw error
    }
  }
}

function toFileEntry(model: z.output<typeof FileModel>): FileEntry {
  const { name, path, type, size, last_modified, hash, writable, content } = model
  return {
    name,
    path,
    type,
    size: size ?? null,
    lastModified: last_modified ?? '',
    ...(hash && { hash }),
    writable: writable ?? true,
    ...(content !== null && content !== undefined && { content }),
  }
}
