import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@quire/kit/log'
import { createSilentLogger } from '../fixtures/silent-logger.ts'

/** A folder of its own for a test; `remove` takes it away. */
export async function createScratch() {
  const folder = await mkdtemp(join(tmpdir(), 'quire-supervisor-'))
  return {
    file: (name: string) => join(folder, name),
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A logger that keeps its warnings and errors. */
export function createListeningLogger(): { readonly logger: Logger; readonly heard: string[] } {
  const heard: string[] = []
  const hear = (fields: object | string, message?: string) => {
    heard.push(message ?? String(fields))
  }
  return { logger: { ...createSilentLogger(), warn: hear, error: hear }, heard }
}
