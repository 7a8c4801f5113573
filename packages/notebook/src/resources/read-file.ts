import type { ReadResourceResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import type { ToolContext } from '../tools/tool-context.ts'
import { formatNotebookUri } from './notebook-uri.ts'
import { NOTEBOOK_TYPE } from './resource-templates.ts'

type Contents = ReadResourceResult['contents']
type FileContext = Pick<ToolContext, 'servers' | 'fence' | 'signal'>

const MOST_BYTES = 1024 * 1024
const MOST_ENTRIES = 1000

const FileAnswer = z.object({
  content: z.string(),
  format: z.enum(['text', 'base64']),
  mimetype: z.string().nullish(),
})

/** A file of the server, or what is in a folder. The size is asked for before the content is. */
export async function readFile(uri: string, wanted: string, context: FileContext): Promise<Contents> {
  const { servers, fence, signal } = context
  const path = fence.checkFolder(wanted)
  if (path === '') return listFolder(uri, path, context)
  const { type, size } = await servers.contents.get(path, { content: false, signal })
  if (type === 'directory') return listFolder(uri, path, context)
  fence.check(path)
  refuseLarge(path, size ?? 0)
  if (type === 'notebook') {
    const { content } = await servers.contents.get(path, { signal })
    const text = JSON.stringify(content)
    refuseLarge(path, Buffer.byteLength(text))
    return [{ uri, mimeType: NOTEBOOK_TYPE, text }]
  }
  // Asked for directly: whether a file came as text or in base64 is told in a field of its own.
  const answer = await servers.document.request('GET', ['api', 'contents', ...path.split('/')], {
    query: { content: '1', type: 'file' },
    signal,
  })
  const file = FileAnswer.safeParse(answer)
  if (!file.success) {
    throw new ToolError(
      'failing',
      `The notebook server answered for '${path}' with something that is no file.`,
    )
  }
  const { content, format, mimetype } = file.data
  refuseLarge(path, format === 'text' ? Buffer.byteLength(content) : (content.length * 3) / 4)
  return format === 'text'
    ? [{ uri, mimeType: mimetype ?? 'text/plain', text: content }]
    : [{ uri, mimeType: mimetype ?? 'application/octet-stream', blob: content.replaceAll(/\s/g, '') }]
}

async function listFolder(
  uri: string,
  path: string,
  { servers, fence, signal }: FileContext,
): Promise<Contents> {
  const entries = await servers.contents.list(path, { signal })
  const visible = entries
    .filter((entry) => fence.isVisible(entry.path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const listing = {
    path,
    total: visible.length,
    entries: visible.slice(0, MOST_ENTRIES).map((entry) => ({
      path: entry.path,
      type: entry.type,
      size: entry.size,
      last_modified: entry.lastModified === '' ? null : entry.lastModified,
      uri: formatNotebookUri({ kind: 'file', path: entry.path }),
    })),
  }
  return [{ uri, mimeType: 'application/json', text: JSON.stringify(listing, null, 2) }]
}

function refuseLarge(path: string, bytes: number): void {
  if (bytes <= MOST_BYTES) return
  throw new ToolError(
    'invalid_argument',
    `'${path}' has ${bytes} bytes, and at most ${MOST_BYTES} can be read. Read it with code in a kernel, or open a notebook with use_notebook.`,
  )
}
