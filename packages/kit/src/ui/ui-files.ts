import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, posix, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A built web application, read once. */
export interface UiFiles {
  /** `index.html`. */
  readonly page: string
  /** By their paths below the page, e.g. `assets/index.js`. */
  readonly files: ReadonlyMap<string, UiFile>
}

export interface UiFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined
  readonly type: string
  readonly etag: string
}

const PAGE = 'index.html'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
const COMPRESSED: ReadonlySet<string> = new Set(['.css', '.html', '.js', '.svg'])

/** Throws where the folder has no page. */
export async function readUiFiles(folder: string): Promise<UiFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, UiFile>()
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    files.set(relative(folder, path).split(sep).join(posix.sep), await readUiFile(path))
  }
  const page = files.get(PAGE)
  if (page === undefined) throw new Error(`There is no ${PAGE} in ${folder}.`)
  files.delete(PAGE)
  return { page: Buffer.from(page.body).toString(), files }
}

async function readUiFile(path: string): Promise<UiFile> {
  const body = new Uint8Array(await readFile(path))
  const extension = extname(path)
  return {
    body,
    gzipped: COMPRESSED.has(extension) ? new Uint8Array(await promisify(gzip)(body)) : undefined,
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`,
  }
}
