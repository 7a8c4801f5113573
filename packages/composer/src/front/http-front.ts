import type { Gateway } from '../gateway/gateway.ts'
import { type FrontContext, type FrontOptions, type HttpFront, toSettings } from './front-options.ts'
import { readBody } from './http/read-body.ts'
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
export function createHttpFront(gateway: Gateway, options: FrontOptions): HttpFront {
  const settings = toSettings(options)
  const { logger } = settings
  const slots = createStreamSlots({ total: settings.maxStreams, perCaller: settings.maxStreamsPerCaller })
  const classify = createClassifier()
  const legacy = createLegacyHttp({ ...settings, gateway, slots })
  const modern = createModernHttp({ ...settings, gateway, slots })
  const stopListening = gateway.onChange((change) => legacy.changed(change, toNotification(change)))
  let isClosed = false

  async function fetch(request: Request, context: FrontContext = {}): Promise<Response> {
    const { method } = request
    if (isClosed) return refuse(503, CLOSING)
    if (!METHODS.has(method)) {
      const message = `${method} is not allowed here: use POST, GET or DELETE.`
      return refuse(405, { code: CODES.server, message }, undefined, ALLOW)
    }
    if (method !== 'POST') return serve(request, undefined, context)
    const read = await readBody(request, context, settings.maxBodyBytes)
    return read instanceof Response ? read : serve(request, read.body, context)
  }

  async function serve(request: Request, body: unknown, context: FrontContext): Promise<Response> {
    const { principal, rawHeaders, signal = request.signal, headers = request.headers } = context
    try {
      if (request.method !== 'POST') return await legacy.serve({ request, headers, principal, body, signal })
      const mirrors = readMirrorHeaders(headers)
      const verdict = classify(body, mirrors)
      if (verdict.kind === 'legacy') return await legacy.serve({ request, headers, principal, body, signal })
      if (verdict.kind === 'refused') return refuse(verdict.status, verdict.error, body)
      const { message, revision } = verdict
      return await modern.serve({
        request,
        principal,
        message,
        revision,
        headers: mirrors,
        rawHeaders,
        signal,
      })
    } catch (error) {
      logger.error({ err: error }, 'the MCP front failed')
      return refuse(500, FAILED, body)
    }
  }

  return Object.freeze({
    fetch,
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
