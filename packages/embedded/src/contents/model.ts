import type { Stats } from 'node:fs'
import { joinPath, nameOf, parentOf } from '../folder/api-path.ts'

export type ContentType = 'notebook' | 'file' | 'directory'
export type ContentFormat = 'json' | 'text' | 'base64'

/** What the contents API says of a file or a folder. */
export interface ContentModel {
  readonly name: string
  readonly path: string
  readonly last_modified: string
  readonly created: string
  readonly content: unknown
  readonly format: ContentFormat | null
  readonly mimetype: string | null
  readonly size: number | null
  readonly writable: boolean
  readonly hash: string | null
  readonly hash_algorithm: string | null
  readonly type: ContentType
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  css: 'text/css',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'text/xml',
}
const NOTEBOOK = '.ipynb'

/** Without its content. */
export function toModel(path: string, stats: Stats): ContentModel {
  const type = typeOf(path, stats)
  return {
    name: nameOf(path),
    path,
    last_modified: stats.mtime.toISOString(),
    created: stats.ctime.toISOString(),
    content: null,
    format: null,
    mimetype: null,
    size: type === 'directory' ? null : stats.size,
    writable: (stats.mode & 0o200) !== 0,
    hash: null,
    hash_algorithm: null,
    type,
  }
}

export function mimeTypeOf(path: string, format: ContentFormat): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return MIME_TYPES[extension] ?? (format === 'text' ? 'text/plain' : 'application/octet-stream')
}

export function isNotebookPath(path: string): boolean {
  return path.endsWith(NOTEBOOK)
}

/** `name.ext`, `name1.ext`, … or with another mark before the number. */
export function* numberedNames(stem: string, extension: string, mark = ''): Generator<string> {
  for (let number = 0; number < 10_000; number += 1)
    yield `${stem}${number === 0 ? '' : `${mark}${number}`}${extension}`
}

export function* copyNames(path: string): Generator<string> {
  const name = nameOf(path)
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const plain = stem.replace(/-Copy\d*$/, '')
  for (let number = 1; number < 10_000; number += 1) yield `${plain}-Copy${number}${extension}`
}

/** Where a copy goes: beside the original, or in the folder that was named. */
export function copyTarget(from: string, folder: string | undefined, name: string): string {
  return joinPath(folder ?? parentOf(from), name)
}

function typeOf(path: string, stats: Stats): ContentType {
  if (stats.isDirectory()) return 'directory'
  return isNotebookPath(path) ? 'notebook' : 'file'
}
