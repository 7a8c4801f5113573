import { rm } from 'node:fs/promises'
import type { Logger } from '@quire/kit/log'
import type { Folder } from '../folder/folder.ts'
import { OWN_FOLDER } from '../folder/own-folder.ts'
import type { WriteFile } from '../folder/write-file.ts'
import { isRecord } from '../json.ts'
import { readBounded } from './notebook-file.ts'

/**
 * Shared documents as they were, edit by edit, beside their files. Somebody who comes back with a document of before a restart has edits that know each other:
 * one built anew from the file would come out doubled with it.
 */
export interface History {
  read(fileId: string): Promise<Kept | undefined>
  write(fileId: string, kept: Kept): Promise<void>
  remove(fileId: string): Promise<void>
}

export interface Kept {
  /** Of the files that it may stand for: it is written before the file is, so there are two in between. */
  readonly hashes: readonly string[]
  readonly update: Uint8Array
}

const ROOMS = `${OWN_FOLDER}/rooms`
const LARGEST = 128 * 1024 * 1024
const LINE_END = 0x0a

export function createHistory(folder: Folder, writeFile: WriteFile, logger: Logger): History {
  const pathOf = (fileId: string) => `${ROOMS}/${fileId}.bin`

  return Object.freeze({
    async read(fileId: string) {
      try {
        const { data } = await readBounded(await folder.placeOwn(pathOf(fileId)), fileId)
        return parse(data)
      } catch (error) {
        logger.debug({ err: error, file_id: fileId }, 'a notebook has no history')
        return undefined
      }
    },
    async write(fileId: string, { hashes, update }: Kept) {
      try {
        if (update.byteLength > LARGEST) throw new Error(`it has ${update.byteLength} bytes`)
        await folder.makeOwn(ROOMS)
        const head = Buffer.from(`${JSON.stringify({ version: 1, hashes })}\n`)
        await writeFile(await folder.placeOwn(pathOf(fileId)), Buffer.concat([head, update]))
      } catch (error) {
        logger.warn({ err: error, file_id: fileId }, 'the history of a notebook could not be kept')
      }
    },
    async remove(fileId: string) {
      try {
        await rm(await folder.placeOwn(pathOf(fileId)), { force: true })
      } catch (error) {
        logger.debug({ err: error, file_id: fileId }, 'the history of a notebook was not removed')
      }
    },
  })
}

function parse(data: Buffer): Kept | undefined {
  const end = data.indexOf(LINE_END)
  const head: unknown = JSON.parse(data.subarray(0, end).toString('utf8'))
  if (!isRecord(head) || head.version !== 1 || !Array.isArray(head.hashes)) return undefined
  return { hashes: head.hashes.map(String), update: data.subarray(end + 1) }
}
