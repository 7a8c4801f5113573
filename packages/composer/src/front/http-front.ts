import { type Answer, toResponse } from '@quire/kit/app/answer'
import type { Gateway } from '../gateway/gateway.ts'
import {
  type FrontContext,
  type FrontOptions,
  type FrontPost,
  type FrontRequest,
  type StreamableFront,
  toSettings,
} from './front-options.ts'
import { onAbort } from './http/on-abort.ts'
import { messagesIn, parseBody, readBody } from './http/read-body.ts'
import { refuse } from './http/refusal.ts'
import { createStreamSlots } from './http/stream-slots.ts'
import { createLegacyHttp } from './legacy/legacy-http.ts'
import { readMirrorHeaders } from './modern/mirror-headers.ts'
import { createModernHttp } from './modern/modern-http.ts'
import { toNotification } from './protocol/changes.ts'
import { createClassifier } from './protocol/classify.ts'
import { CODES } from './protocol/codes.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE'])
const ALLOW = Object.freeze({ allow: 'GET, POST, DELETE' })
const CLOSING = { code: CODES.server, message: 'The server is shutting down. Try again in a moment.' }
const FAILED = { code: CODES.internal, message: 'Internal server error.' }

/** MCP over streamable HTTP, both eras on one URL: the stateless one and the one with sessions. */
export function createHttpFront(gateway: Gateway, options: FrontOptions): StreamableFront {
  const settings = toSettings(options)
  const { logger } = settings
  const slots = createStreamSlots({ total: settings.maxStreams, perCaller: settings.maxStreamsPerCaller })
  const classify = createClassifier()
  const legacy = createLegacyHttp({ ...settings, gateway, slots })
  const modern = createModernHttp({ ...settings, gateway, slots })
  const stopListening = gateway.onChange((change) => legacy.changed(change, toNotification(change)))
  let isClosed = false

  async function receive(request: Request, context: FrontContext): Promise<Answer> {
    const { method } = request
    if (isClosed) return refuse(503, CLOSING)
    if (!METHODS.has(method)) {
      const message = `${method} is not allowed here: use POST, GET or DELETE.`
      return refuse(405, { code: CODES.server, message }, undefined, ALLOW)
    }
    const read =
      method === 'POST' ? await readBody(request, context, settings.maxBodyBytes) : { body: undefined }
    if ('refusal' in read) return read.refusal
    const { principal, rawHeaders, headers = request.headers } = context
    return serve({
      method,
      headers,
      principal,
      body: read.body,
      rawHeaders: () => rawHeaders ?? [...request.headers].flat(),
      onGone: (callback) => onAbort(request.signal, callback),
    })
  }

  async function serve(request: FrontRequest): Promise<Answer> {
    const { method, headers, body } = request
    try {
      if (method !== 'POST') return await legacy.serve(request)
      const mirrors = readMirrorHeaders(headers)
      const verdict = classify(body, mirrors)
      if (verdict.kind === 'legacy') return await legacy.serve(request)
      if (verdict.kind === 'refused') return refuse(verdict.status, verdict.error, body)
      const { message, revision } = verdict
      return await modern.serve({ ...request, headers: mirrors, message, revision })
    } catch (error) {
      logger.error({ err: error }, 'the MCP front failed')
      return refuse(500, FAILED, body)
    }
  }

  return Object.freeze({
    fetch: async (request: Request, context: FrontContext = {}) =>
      toResponse(await receive(request, context)),
    post({ text, mayPass, ...request }: FrontPost) {
      const read = parseBody(text)
      if (isClosed || 'refusal' in read || !mayPass(messagesIn(read.body))) return undefined
      return serve({ ...request, method: 'POST', body: read.body })
    },
    sessionCount: legacy.sessionCount,
    async close() {
      if (isClosed) return
      isClosed = true
      stopListening()
      modern.close()
      legacy.close()
    },
  })
}
