import type { Clock } from '@quire/mcp/connection/clock'
import type { Link } from '../link/link.ts'

export interface LinkActivity {
  /** The same link, whose requests and subscriptions are counted. */
  readonly link: Link
  /** Somebody is about to use it. */
  touch(): void
  /** Calls back once nothing was under way for so long, in the very turn in which that is seen. Done then, or when the signal aborts. */
  watchIdle(ms: number, signal: AbortSignal, onIdle: () => void): Promise<void>
}

/** Knows since when nobody uses a link. */
export function trackActivity(link: Link, clock: Clock): LinkActivity {
  let underWay = 0
  let usedAt = clock.now()

  function touch(): void {
    usedAt = clock.now()
  }

  function begin(): void {
    underWay += 1
  }

  function end(): void {
    underWay -= 1
    touch()
  }

  async function watchIdle(ms: number, signal: AbortSignal, onIdle: () => void): Promise<void> {
    for (;;) {
      const rest = underWay > 0 ? ms : usedAt + ms - clock.now()
      if (rest <= 0) return onIdle()
      await clock.sleep(rest, signal)
      if (signal.aborted) return
    }
  }

  const tracked: Link = Object.freeze({
    server: link.server,
    pid: link.pid,
    ended: link.ended,
    eraFor: (era) => link.eraFor(era),
    info: () => link.info(),
    catalog: () => link.catalog(),
    ping: (timeoutMs) => link.ping(timeoutMs),
    notify: (method, params) => link.notify(method, params),
    close: () => link.close(),
    async request(method, params, asker) {
      begin()
      try {
        return await link.request(method, params, asker)
      } finally {
        end()
      }
    },
    async subscribe(uri, signal) {
      await link.subscribe(uri, signal)
      if (signal.aborted) return
      begin()
      signal.addEventListener('abort', end, { once: true })
    },
  } satisfies Link)

  return Object.freeze({ link: tracked, touch, watchIdle })
}
