import { createHash } from 'node:crypto'

/** What tells one state of a file from another. */
export interface FileVersion {
  /** Empty where the server does not tell it. */
  readonly lastModified: string
  /** Newer servers give one. */
  readonly hash?: string | undefined
}

export interface FileState extends FileVersion {
  readonly content?: unknown
  readonly writable: boolean
  readonly type: string
}

/** What the file back end needs of the contents API. Failures are `ToolError`s. */
export interface ContentsPort {
  read(
    path: string,
    options: { readonly signal?: AbortSignal | undefined; readonly content: boolean },
  ): Promise<FileState>
  write(
    path: string,
    notebook: unknown,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<FileVersion>
}

/** A server that tells neither time nor hash leaves only the content to go by. */
export function isTold({ hash, lastModified }: FileVersion): boolean {
  return hash !== undefined || lastModified !== ''
}

export function versionOf(state: FileState): FileVersion {
  const { content, lastModified, hash } = state
  if (isTold(state)) return { lastModified, hash }
  return { lastModified, hash: createHash('sha256').update(JSON.stringify(content)).digest('hex') }
}

export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  if (a.hash !== undefined && b.hash !== undefined) return a.hash === b.hash
  return a.lastModified === b.lastModified
}

export function revisionOf({ hash, lastModified }: FileVersion): string {
  return hash ?? lastModified
}
