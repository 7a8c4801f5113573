import { z } from 'zod'
import { orDefault } from './shared/fields.ts'
import { createPathGlob } from './shared/path-glob.ts'
import { requireFolder } from './shared/require-file.ts'
import { showPath } from './shared/server-path.ts'
import { toTsv } from './shared/tsv.ts'
import { type FileRow, walkFiles } from './shared/walk-files.ts'
import { defineTool } from './tool.ts'

const HEADER = ['Path', 'Type', 'Size', 'Last_Modified']

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List Files',
  description:
    'Lists files and folders of the notebook server, sorted by path and page by page. Take it to find the path of a notebook. A pattern only filters what max_depth reaches.',
  scope: 'notebooks:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    path: orDefault(z.string(), '').describe(
      "The folder to list, relative to the server's root; empty for the root.",
    ),
    max_depth: orDefault(z.int().min(0).max(3), 1).describe(
      'How many levels of folders to go down; 0 lists only this folder.',
    ),
    start_index: orDefault(z.int().min(0), 0).describe('The first entry to show.'),
    limit: orDefault(z.int().min(0), 25).describe('How many entries to show at most; 0 means all.'),
    pattern: orDefault(z.string().max(500), '').describe(
      'A glob such as *.ipynb (by name) or data/**/*.csv (by path). * does not cross a slash, ** does.',
    ),
  }),
  output: z.object({
    /** Of all entries found. */
    total: z.int(),
    start_index: z.int(),
    end_index: z.int(),
    /** There may be more than was looked at. */
    incomplete: z.boolean(),
    files: z.array(
      z.object({
        path: z.string(),
        type: z.enum(['directory', 'notebook', 'file', 'error']),
        size: z.number().nullable(),
        last_modified: z.string().nullable(),
        error: z.string().optional(),
      }),
    ),
  }),
  async run(input, context) {
    const path = context.fence.checkFolder(input.path)
    const matches = input.pattern === '' ? () => true : createPathGlob(input.pattern)
    await requireFolder(path, context)
    const { rows, incomplete } = await walkFiles(path, input.max_depth, context)
    const found = rows.filter((row) => matches(row.path))
    const isBeyond = input.start_index >= found.length
    const start = isBeyond ? 0 : input.start_index
    const shown = found.slice(start, input.limit === 0 ? undefined : start + input.limit)
    const end = start + shown.length
    const lines: string[] = []
    if (isBeyond && found.length > 0) {
      lines.push(`[WARNING] start_index ${input.start_index} is beyond the last entry: starting at 0.`)
    }
    if (incomplete) {
      lines.push(
        `[WARNING] There may be more than the ${rows.length} entries looked at. List a folder further down.`,
      )
    }
    if (rows.length === 0) lines.push(`No files found in path '${showPath(path)}'`)
    else if (found.length === 0)
      lines.push(`No files matching pattern '${input.pattern}' in path '${showPath(path)}'`)
    else lines.push(`Showing ${start}-${end} of ${found.length} files`, '', toTsv(HEADER, shown.map(toCells)))
    return {
      content: lines.join('\n'),
      structured: {
        total: found.length,
        start_index: start,
        end_index: end,
        incomplete,
        files: shown.map(toStructured),
      },
    }
  },
})

function toCells({ path, type, size, lastModified, error }: FileRow): string[] {
  return [path, type, showSize(size), error ?? showTime(lastModified)]
}

function toStructured({ path, type, size, lastModified, error }: FileRow) {
  return {
    path,
    type,
    size,
    last_modified: lastModified === '' ? null : lastModified,
    ...(error !== undefined && { error }),
  }
}

function showSize(size: number | null): string {
  if (size === null) return ''
  if (size < 1024) return `${size}B`
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)}KB`
  return `${(size / 1024 / 1024).toFixed(1)}MB`
}

function showTime(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 19).replace('T', ' ')
}
