import type { IncomingMessage } from 'node:http'
import { HttpRefusal, refusalText } from '@quire/mcp/connection/http-refusal'
import { isRecord } from '@quire/mcp/json'
import type { Reply } from '../rpc.ts'
import type { HttpPeer } from './http-peer.ts'
import { LinkError } from './link-error.ts'

const SERVER_ERROR = -32000
const MAX_REFUSAL_BYTES = 16_384
const MAX_REFUSAL_MS = 2_000
const SECONDS = /^\d{1,9}$/
const DESCRIPTION = /error_description="([^"]*)"/

/** The whole body, undefined when it is longer than allowed. Rejects when it breaks off. */
export function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= maxBytes) return
      resolve(undefined)
      response.destroy()
    })
    response.on('end', () => resolve(Buffer.concat(chunks, length)))
    response.on('error', reject)
    // After an end or an error this changes nothing.
    response.on('close', () => reject(new Error('its answer broke off')))
  })
}

/** What a status other than success means for the request that it answers. */
export async function readRefusal(
  server: string,
  id: number,
  response: IncomingMessage,
  peer: HttpPeer,
): Promise<Reply | LinkError> {
  const { statusCode: status = 0, headers } = response
  const text = (await readHead(response)) || (DESCRIPTION.exec(headers['www-authenticate'] ?? '')?.[1] ?? '')
  const error = errorIn(text)
  if (error && error.id === id && (status === 400 || status === 404)) {
    return {
      error: {
        code: error.code,
        message: error.message,
        ...(error.data !== undefined && { data: error.data }),
      },
    }
  }
  const retryAfter = headers['retry-after'] ?? ''
  const retryAfterSeconds = SECONDS.test(retryAfter) ? Number(retryAfter) : undefined
  const sentence = isRedirect(status) ? 'it points elsewhere, where our headers must not go' : text
  const refusal = new HttpRefusal(status, peer.conceal(sentence), retryAfterSeconds)
  const message = `MCP server "${server}" refused the request with ${refusalText(refusal)}`
  // A proxy that speaks for the server does not know whether it has acted.
  if (status >= 500 && !error) return new LinkError('lost', message)
  const data = { status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
  return { error: { code: error?.code ?? SERVER_ERROR, message, data } }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

function errorIn(text: string): { id: unknown; code: number; message: string; data: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || !isRecord(value.error)) return undefined
    const { code, message, data } = value.error
    if (typeof code !== 'number' || typeof message !== 'string') return undefined
    return { id: value.id, code, message, data }
  } catch {
    // A text of another kind: it is quoted as it is.
    return undefined
  }
}

/** As much as there is within the bounds: a server that refuses us may also fall silent. */
async function readHead(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  const deadline = setTimeout(() => response.destroy(), MAX_REFUSAL_MS)
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= MAX_REFUSAL_BYTES) break
    }
  } catch {
    // The status has said the most; the rest of the text is not worth another error.
  } finally {
    clearTimeout(deadline)
  }
  return Buffer.concat(chunks).toString('utf8')
}
