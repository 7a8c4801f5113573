import { readFile } from 'node:fs/promises'
import { ConfigError } from '@quire/kit/config/config-error'
import type { Logger } from '@quire/kit/log'
import { isRecord } from '@quire/mcp/json'
import { replaceFile } from '../replace-file.ts'
import { createPins, type PinStore, type Pins, type PinsOptions } from './pins.ts'

export interface PinFile extends PinStore {
  /** Done when everything that was set is on disk. Rejects where it cannot be. */
  flush(): Promise<void>
}

export interface PinFileOptions extends Pick<PinsOptions, 'maxPins' | 'maxOfServer'> {
  readonly logger: Logger
}

const HASH = /^[0-9a-f]{64}$/

/** Pins that outlive the process, in a JSON file that is whole at every moment. A file that cannot be read stops the start. */
export async function createPinFile(path: string, options: PinFileOptions): Promise<PinFile> {
  const { logger, ...limits } = options
  const pins = createPins({ ...limits, ...(await readPins(path)), onFull })
  let writing: Promise<void> | undefined
  let isDirty = false
  let failure: unknown

  function onFull(server: string, pinned: boolean): void {
    logger.warn(
      { path, server },
      pinned
        ? 'a pinned server offers more new tools than can be remembered: those beyond are blocked until somebody approves them'
        : 'a server offers more tools than can be remembered: changes of some go unnoticed',
    )
  }

  function changed(): void {
    isDirty = true
    startWriting()
  }

  function startWriting(): void {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
  }

  async function writeAll(): Promise<void> {
    // Whatever is set in the same turn, such as the first sight of a thousand tools, goes into one writing.
    await Promise.resolve()
    while (isDirty) {
      isDirty = false
      try {
        await replaceFile(path, toText(pins))
      } catch (error) {
        isDirty = true
        failure = error
        logger.error(
          { err: error, path },
          'tool pins could not be written: they hold until the next start only',
        )
        return
      }
    }
  }

  return Object.freeze({
    get: pins.get,
    remember(id, hash, pinned) {
      const isRemembered = pins.remember(id, hash, pinned)
      if (isRemembered) changed()
      return isRemembered
    },
    approve(id, hash) {
      pins.approve(id, hash)
      changed()
    },
    definition: pins.definition,
    keep(id, definition, pinned) {
      const isKept = pins.keep(id, definition, pinned)
      if (isKept) changed()
      return isKept
    },
    async flush() {
      if (isDirty) startWriting()
      while (writing) await writing
      if (isDirty) throw new Error(`The tool pins could not be written to ${path}.`, { cause: failure })
    },
  } satisfies PinFile)
}

type StoredPins = Required<Pick<PinsOptions, 'known' | 'definitions'>>

/** Definitions stand apart from the hashes, which is what the file had alone at first. */
function toText(pins: Pins): string {
  const entries = [...pins.entries()]
  const kept = entries.flatMap(([id, { definition }]) => (definition === undefined ? [] : [[id, definition]]))
  return JSON.stringify({
    version: 1,
    pins: Object.fromEntries(entries.map(([id, { hash }]) => [id, hash])),
    definitions: Object.fromEntries(kept),
  })
}

async function readPins(path: string): Promise<StoredPins> {
  try {
    return parsePins(await readFile(path, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return { known: [], definitions: [] }
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([
      {
        setting: 'the file of tool pins',
        origin: path,
        message: `cannot be used: ${reason}. It says which tool definitions are trusted, so it is not replaced by itself: restore it from a backup, or delete it to trust what all servers offer at the next start`,
      },
    ])
  }
}

function parsePins(text: string): StoredPins {
  const content: unknown = JSON.parse(text)
  if (!isRecord(content) || content.version !== 1 || !isRecord(content.pins))
    throw new Error('it is no list of pins of version 1')
  const known = new Map<string, string>()
  for (const [id, hash] of Object.entries(content.pins)) {
    if (typeof hash !== 'string' || !HASH.test(hash)) throw new Error('it holds a hash that is none')
    known.set(id, hash)
  }
  // They decide nothing: those that are none are left out.
  const definitions = Object.entries(isRecord(content.definitions) ? content.definitions : {})
  return { known, definitions: definitions.filter(isTextual) }
}

function isTextual(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string'
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
