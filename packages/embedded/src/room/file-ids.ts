import { randomUUID } from 'node:crypto'
import type { Logger } from '@quire/kit/log'
import type { Folder } from '../folder/folder.ts'
import { OWN_FOLDER } from '../folder/own-folder.ts'
import type { WriteFile } from '../folder/write-file.ts'
import { isRecord } from '../json.ts'
import { readBounded } from './notebook-file.ts'

/** Ids of files: one stays with its file where that is renamed, and over restarts. */
export interface FileIds {
  /** Makes one where there is none yet. */
  idOf(path: string): Promise<{ readonly id: string; readonly isNew: boolean }>
  pathOf(id: string): Promise<string | undefined>
  /** What is known, and no more. */
  known(path: string): string | undefined
  move(from: string, to: string): Promise<void>
  /** Returns the ids of the file, or of all in the folder. */
  remove(path: string): Promise<readonly string[]>
}

const FILE = `${OWN_FOLDER}/files.json`
const MOST = 20_000
/** They name files of ours: what is read back has to be one. */
const ID = /^[0-9a-f-]{36}$/

export function createFileIds(folder: Folder, writeFile: WriteFile, logger: Logger): FileIds {
  const ids = new Map<string, string>()
  const paths = new Map<string, string>()
  let loading: Promise<void> | undefined
  let writing = Promise.resolve()

  function set(path: string, id: string): void {
    paths.set(id, path)
    ids.set(path, id)
    const [oldest] = ids.keys()
    if (ids.size > MOST && oldest !== undefined) unset(oldest)
  }

  function unset(path: string): string | undefined {
    const id = ids.get(path)
    ids.delete(path)
    if (id !== undefined) paths.delete(id)
    return id
  }

  function load(): Promise<void> {
    loading ??= read()
    return loading
  }

  async function read(): Promise<void> {
    try {
      const { data } = await readBounded(await folder.placeOwn(FILE), FILE)
      const stored: unknown = JSON.parse(data.toString('utf8'))
      if (!isRecord(stored)) return
      for (const [id, path] of Object.entries(stored))
        if (typeof path === 'string' && ID.test(id)) set(path, id)
    } catch (error) {
      logger.debug({ err: error }, 'no ids of files are known yet')
    }
  }

  function store(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    try {
      await folder.makeOwn(OWN_FOLDER)
      await writeFile(await folder.placeOwn(FILE), JSON.stringify(Object.fromEntries(paths)))
    } catch (error) {
      logger.warn({ err: error }, 'the ids of files could not be kept: after a restart they are others')
    }
  }

  function under(path: string): string[] {
    return [...ids.keys()].filter((known) => known === path || known.startsWith(`${path}/`))
  }

  return Object.freeze({
    async idOf(path: string) {
      await load()
      const known = ids.get(path)
      if (known !== undefined) return { id: known, isNew: false }
      const id = randomUUID()
      set(path, id)
      await store()
      return { id, isNew: true }
    },
    async pathOf(id: string) {
      await load()
      return paths.get(id)
    },
    known: (path: string) => ids.get(path),
    async move(from: string, to: string) {
      await load()
      const moved = under(from)
      for (const path of moved) {
        const id = unset(path)
        if (id !== undefined) set(to + path.slice(from.length), id)
      }
      if (moved.length > 0) await store()
    },
    async remove(path: string) {
      await load()
      const removed = under(path).flatMap((known) => unset(known) ?? [])
      if (removed.length > 0) await store()
      return removed
    },
  })
}
