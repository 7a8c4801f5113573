import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ComposerError } from '../composer-error.ts'
import type { ComposerConfig } from './config.ts'
import { type ConfigFault, configError } from './config-fault.ts'
import { parseConfig } from './parse-config.ts'
import { revisionOf } from './revision.ts'
import type { Variables } from './substitute.ts'
import { MAX_CONFIG_BYTES } from './toml/parse-toml.ts'

export interface LoadedConfig {
  /** Absolute. */
  readonly path: string
  readonly text: string
  readonly revision: string
  readonly config: ComposerConfig
  readonly warnings: readonly ConfigFault[]
}

/** Rejects with a `ComposerError` that says what is wrong with the file, all of it. */
export async function readConfigFile(
  path: string,
  options: { readonly environment: Variables },
): Promise<LoadedConfig> {
  const file = resolve(path)
  const text = await readText(file)
  const { config, faults, warnings } = parseConfig(text, { ...options, baseDir: dirname(file) })
  if (!config) throw configError(`The configuration file ${file}`, faults)
  return { path: file, text, revision: revisionOf(text), config, warnings }
}

const ATTEMPTS = 5
const PAUSE_MS = 40

async function readText(file: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { bytes, isWhole } = await readBytes(file)
    if (isWhole) return toText(file, bytes)
    if (attempt === ATTEMPTS)
      throw refusal(file, 'is being written to just now. Try again when it is finished')
    await setTimeout(PAUSE_MS)
  }
}

async function readBytes(file: string): Promise<{ bytes: Buffer; isWhole: boolean }> {
  // Without blocking: opening a named pipe would wait for its writer for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw refusal(file, OPEN_FAULTS[codeOf(error)] ?? `cannot be opened (${codeOf(error)})`, error)
  })
  try {
    const before = await handle.stat()
    if (before.isDirectory()) throw refusal(file, 'is a folder. Name the file in it')
    if (!before.isFile()) throw refusal(file, 'is not a regular file')
    const bytes = await readBounded(handle)
    if (bytes.length > MAX_CONFIG_BYTES)
      throw refusal(file, 'is larger than 1 MiB. Name another with --config')
    const after = await handle.stat()
    return { bytes, isWhole: after.mtimeMs === before.mtimeMs && after.size === bytes.length }
  } finally {
    await handle.close()
  }
}

async function readBounded(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_CONFIG_BYTES + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function toText(file: string, bytes: Buffer): string {
  if (bytes.includes(0)) throw refusal(file, 'is not a text file')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw refusal(file, 'is not written in UTF-8', error)
  }
  if (text.trim() === '')
    throw refusal(
      file,
      'is empty. Was it cut off while it was written? A file without servers says "[servers]"',
    )
  return text
}

const OPEN_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Create it, or name another with --config',
  EACCES: 'may not be read by this user. Change its owner or its mode',
  ELOOP: 'is a link that leads to itself',
  EISDIR: 'is a folder. Name the file in it',
  ENOTDIR: 'does not exist: a part of its path is no folder',
  ENXIO: 'is not a regular file',
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

function refusal(file: string, what: string, cause?: unknown): ComposerError {
  return new ComposerError('CONFIG_INVALID', `The configuration file ${file} ${what}.`, { cause })
}
