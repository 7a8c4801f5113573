import { isJsonObject, type JsonObject } from '@quire/agent/json'
import { CallerError } from '@quire/kit/errors'
import type { Redactor } from '@quire/kit/redact'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import { requireToolset, shown, toToolsetFailure } from './toolset-failure.ts'

/** One page as the server gave it. */
export interface UiResource extends JsonObject {
  readonly uri: string
}

export interface UiResources {
  readonly toolsets: Pick<Toolsets, 'names' | 'status' | 'connection'>
  readonly redactor: Pick<Redactor, 'text'>
}

const READ_MS = 10_000
/** Of characters as they are sent: more than any page that a person waits for. */
const MAX_LENGTH = 5 * 1024 * 1024
const HTML = /^text\/html\s*(?:;|$)/i

/** The HTML behind a `ui://` URI, with the server's wishes for its sandbox. Throws a `CallerError`. */
export async function readUiResource(
  { toolsets, redactor }: UiResources,
  { toolset, uri, signal }: { readonly toolset: string; readonly uri: string; readonly signal: AbortSignal },
): Promise<UiResource> {
  requireToolset(toolsets, toolset, redactor)
  const connection = toolsets.connection(toolset)
  const contents = await readContents()
  const page = contents.find(isPage)
  if (!page) throw unusable(toolset, uri, 'is no HTML')
  if (String(page.text ?? page.blob).length > MAX_LENGTH)
    throw unusable(toolset, uri, `is larger than ${MAX_LENGTH} bytes`)
  const listed = connection.catalog().resources.find((resource) => resource.uri === uri)
  return withListedMeta({ ...page, uri }, listed?._meta)

  async function readContents(): Promise<readonly unknown[]> {
    try {
      return (await connection.readResource(uri, { signal, timeoutMs: READ_MS })).contents
    } catch (error) {
      throw toToolsetFailure(error, toolset, redactor)
    }
  }
}

function isPage(content: unknown): content is JsonObject {
  if (!isJsonObject(content) || typeof content.mimeType !== 'string') return false
  return HTML.test(content.mimeType) && [content.text, content.blob].some((part) => typeof part === 'string')
}

/** What a server says of the page when it is read wins over what it says in its list. */
function withListedMeta(page: UiResource, listed: unknown): UiResource {
  const own = isJsonObject(page._meta) ? page._meta : {}
  if (own.ui !== undefined || !isJsonObject(listed) || listed.ui === undefined) return page
  return { ...page, _meta: { ...own, ui: listed.ui } }
}

function unusable(toolset: string, uri: string, why: string): CallerError {
  return new CallerError(
    'unavailable',
    `What the toolset ${shown(toolset)} has at ${shown(uri)} ${why}: it cannot be shown as a user interface.`,
    { status: 502 },
  )
}
