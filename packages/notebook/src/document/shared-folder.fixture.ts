import { execFile } from 'node:child_process'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isRecord } from './json.ts'

const run = promisify(execFile)

/** The folder of a notebook server, in which a person works with other programs at the same time. */
export function createSharedFolder(root: string) {
  let serial = 0

  function nextPath(): string {
    serial += 1
    return `book-${serial}.ipynb`
  }

  /** Each time of writing differs, whatever the file system can tell apart. */
  async function writeByHand(path: string, content: unknown): Promise<void> {
    const file = join(root, path)
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
    serial += 1
    const time = Date.now() / 1000 + serial
    await utimes(file, time, time)
  }

  async function onDisk(
    path: string,
  ): Promise<Record<string, unknown> & { cells: Record<string, unknown>[] }> {
    const content: unknown = JSON.parse(await readFile(join(root, path), 'utf8'))
    if (!isRecord(content) || !Array.isArray(content.cells)) throw new Error(`${path} has no cells`)
    return { ...content, cells: content.cells }
  }

  async function sourcesOnDisk(path: string): Promise<string[]> {
    return (await onDisk(path)).cells.map(({ source }) => [source].flat().join(''))
  }

  /** Asks Python's own library, strictly: what it would mend is a fault. */
  async function validate(...paths: string[]): Promise<void> {
    await run('/usr/bin/python3', ['-c', VALIDATE, ...paths.map((path) => join(root, path))])
  }

  return { nextPath, writeByHand, onDisk, sourcesOnDisk, validate }
}

export type SharedFolder = ReturnType<typeof createSharedFolder>

const VALIDATE = `
import json, sys, warnings, nbformat
warnings.simplefilter('error')
for path in sys.argv[1:]:
    with open(path, encoding='utf-8') as file:
        nbformat.validate(json.load(file))
`
