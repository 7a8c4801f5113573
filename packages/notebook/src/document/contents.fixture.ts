import { ToolError, type ToolErrorCode } from '../tool-error.ts'
import type { ContentsPort, FileState } from './contents-port.ts'
import { isRecord } from './json.ts'

/** The contents API of a real server, as the file back end wants it. */
export function createTestContents({ url, token }: { url: string; token: string }): ContentsPort {
  async function call(path: string, init: RequestInit): Promise<FileState> {
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/contents/${path}`, { ...init, headers })
    const body: unknown = await response.json()
    if (!isRecord(body)) throw new Error('the server did not answer with an object')
    const { content, last_modified, writable, type, message } = body
    if (!response.ok) throw new ToolError(CODES[response.status] ?? 'failing', String(message))
    return { content, lastModified: String(last_modified), writable: writable === true, type: String(type) }
  }
  return {
    read(path, { content, signal = null }) {
      return call(`${encodeURI(path)}?content=${content ? 1 : 0}`, { signal })
    },
    write(path, notebook, { signal = null }) {
      const body = JSON.stringify({ type: 'notebook', format: 'json', content: notebook })
      return call(encodeURI(path), { method: 'PUT', body, signal })
    },
  }
}

const CODES: Readonly<Record<number, ToolErrorCode>> = { 400: 'invalid_argument', 404: 'not_found' }
