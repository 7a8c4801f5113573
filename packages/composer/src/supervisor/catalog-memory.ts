import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '@quire/kit/log'
import type { Catalog } from '@quire/mcp/connection/catalog'
import { exceedsDepth } from '@quire/mcp/json'
import * as z from 'zod'
import type { ServerDefinition } from '../server-definition.ts'
import { createKeptFile } from './kept-file.ts'

/** What servers offered when they last ran, so that a lazy one can be listed before it runs. */
export interface CatalogMemory {
  load(name: string, definitionHash: string): Catalog | undefined
  save(name: string, definitionHash: string, catalog: Catalog): void
}

export interface StoredCatalogMemory extends CatalogMemory {
  settled(): Promise<void>
}

interface Entry {
  readonly name: string
  readonly hash: string
  readonly catalog: Catalog
}

const MAX_SERVERS = 500
const MAX_CATALOG_BYTES = 4 * 1024 * 1024
const MAX_FILE_BYTES = 64 * 1024 * 1024

const named = z.array(z.looseObject({ name: z.string() }))
const Stored = z.array(
  z.object({
    name: z.string(),
    hash: z.string(),
    catalog: z.object({
      tools: named,
      prompts: named,
      resources: z.array(z.looseObject({ uri: z.string() })),
      resourceTemplates: z.array(z.looseObject({ uriTemplate: z.string() })),
    }),
  }),
)

export async function openCatalogMemory(options: {
  readonly file: string
  readonly logger: Logger
}): Promise<StoredCatalogMemory> {
  const { file, logger } = options
  const entries = new Map((await readEntries(file, logger)).map((entry) => [entry.name, entry]))
  const kept = createKeptFile({ file, logger, content: () => JSON.stringify([...entries.values()]) })

  return Object.freeze({
    load(name: string, hash: string): Catalog | undefined {
      const entry = entries.get(name)
      return entry?.hash === hash ? entry.catalog : undefined
    },
    save(name: string, hash: string, catalog: Catalog): void {
      const entry: Entry = { name, hash, catalog }
      if (isDeepStrictEqual(entries.get(name), entry)) return
      // The one saved longest ago comes first, and is the first to be forgotten.
      entries.delete(name)
      if (Buffer.byteLength(JSON.stringify(catalog)) <= MAX_CATALOG_BYTES) entries.set(name, entry)
      for (const oldest of entries.keys()) {
        if (entries.size <= MAX_SERVERS) break
        entries.delete(oldest)
      }
      kept.changed()
    },
    settled: () => kept.settled(),
  })
}

/** Of all that decides which program answers; of secrets their names only, for what is hashed lies in a file. */
export function hashDefinition(definition: ServerDefinition): string {
  const { transport } = definition
  const identity =
    transport === 'stdio'
      ? [transport, definition.command, definition.workingDir ?? null, namesOf(definition.env)]
      : transport === 'embedded'
        ? [transport, definition.module]
        : transport === 'built-in'
          ? [transport, definition.name]
          : [transport, definition.url, namesOf(definition.headers), definition.program?.command ?? null]
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex')
}

function namesOf(record: Readonly<Record<string, string>>): string[] {
  return Object.keys(record).sort()
}

async function readEntries(file: string, logger: Logger): Promise<readonly Entry[]> {
  try {
    const { size } = await stat(file)
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes`)
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (exceedsDepth(value)) throw new Error('it is nested too deep')
    const stored = Stored.parse(value)
    // Each entry has its key, the rest is the server's word, as when it was listed.
    return stored.slice(-MAX_SERVERS) as unknown as readonly Entry[]
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      logger.warn(
        { file, err: error },
        'the remembered tools of lazy servers cannot be read; they are learnt anew',
      )
    }
    return []
  }
}
