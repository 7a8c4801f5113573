import type { Era } from '@quire/mcp/connection/era'
import { refusalOf } from '@quire/mcp/connection/http-refusal'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { HttpRoute } from './http-route.ts'
import type { LinkEnd } from './link.ts'
import { toLinkEnd } from './link-end.ts'
import { abortedFault } from './link-faults.ts'
import type { Lanes } from './session-link.ts'

/** A failure that was no refusal may pass; until then the same question gets the same answer. */
const RETRY_MS = 30_000

/**
 * The lanes of a server that was found to speak the modern era. Whether it speaks the legacy one too shows when a client of that era comes:
 * then a session is opened for them, and opened again when it was lost.
 */
export function createHttpLanes(
  server: string,
  primary: HttpRoute,
  openLegacy: (signal: AbortSignal) => Promise<HttpRoute>,
): Lanes {
  const over = new AbortController()
  let legacy: HttpRoute | undefined
  let opening: Promise<HttpRoute> | undefined
  let refusedUntil = 0

  function routeFor(era: Era): HttpRoute | Promise<HttpRoute> {
    if (era === 'modern' || primary.session.era === 'legacy') return primary
    if (legacy && !legacy.session.ending()) return legacy
    if (performance.now() < refusedUntil || over.signal.aborted) return primary
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }

  async function open(): Promise<HttpRoute> {
    try {
      const route = await openLegacy(over.signal)
      legacy = route
      void route.session.ended.then((error) => forget(route, toLinkEnd(error)))
      return route
    } catch (error) {
      refusedUntil = isRefusal(error) ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS
      return primary
    }
  }

  async function openedFor(route: Promise<HttpRoute>, signal: AbortSignal): Promise<HttpRoute> {
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => aborted.reject(abortedFault(server, signal.reason))
    signal.addEventListener('abort', onAbort)
    try {
      return await Promise.race([route, aborted.promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  function forget(route: HttpRoute, end: LinkEnd): void {
    if (legacy === route) legacy = undefined
    route.lane.end(end)
    void route.session.close()
    void route.lane.close()
  }

  return {
    eraFor(era) {
      const route = routeFor(era)
      return 'lane' in route ? route.session.era : route.then(({ session }) => session.era)
    },
    request(method: string, params: Params, asker: Asker): Promise<Reply> {
      const route = routeFor(asker.era)
      if ('lane' in route) return route.lane.request(method, params, asker)
      return openedFor(route, asker.signal).then(({ lane }) => lane.request(method, params, asker))
    },
    async notify(method, params) {
      await Promise.all([primary.lane.notify(method, params), legacy?.lane.notify(method, params)])
    },
    end(end) {
      over.abort()
      primary.lane.end(end)
      legacy?.lane.end(end)
    },
    async close() {
      over.abort()
      await opening
      await Promise.all([primary.lane.close(), legacy?.session.close(), legacy?.lane.close()])
    },
  }
}

/** The server has answered, and does not speak that era. */
function isRefusal(error: unknown): boolean {
  const status = refusalOf(error)?.status ?? 0
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}
