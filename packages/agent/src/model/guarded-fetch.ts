import {
  createMeter,
  endless,
  isPage,
  LONGEST_ANSWER_MS,
  type Meter,
  page,
  silence,
} from './answer-limits.ts'
import type { Clock } from './clock.ts'

export interface FetchGuard {
  readonly fetch: typeof fetch
  /** For messages. */
  readonly title: string
  /** The longest silence, before the first byte and between two. */
  readonly idleMs: number
  readonly clock: Clock
}

/**
 * What every request to a provider is held to: an end to silence, to an answer's time and size, and no redirect, since the key would travel with it.
 * Bytes count as life, not events: a model that thinks for long sends signs of life that no reader of events sees.
 */
export function createGuardedFetch({ fetch, title, idleMs, clock }: FetchGuard): typeof globalThis.fetch {
  return async (input, init) => {
    const abort = new AbortController()
    const stop = () => abort.abort(init?.signal?.reason)
    // A reader that takes its time is no silence of the provider's.
    let isWaiting = true
    const silent = clock.startTimer(idleMs, () => isWaiting && abort.abort(silence(title, idleMs)))
    const long = clock.startTimer(LONGEST_ANSWER_MS, () => abort.abort(endless(title)))
    const release = () => {
      silent.cancel()
      long.cancel()
      init?.signal?.removeEventListener('abort', stop)
    }
    const listen = (waits: boolean) => {
      isWaiting = waits
      if (waits) silent.refresh()
    }
    if (init?.signal?.aborted) stop()
    init?.signal?.addEventListener('abort', stop, { once: true })
    try {
      const response = await fetch(input, { ...init, signal: abort.signal, redirect: 'manual' })
      listen(false)
      if (response.body === null) {
        release()
        return response
      }
      const contentType = response.headers.get('content-type') ?? ''
      if (response.ok && isPage(contentType)) throw page(title)
      const meter = createMeter({ title, isError: !response.ok, contentType })
      const body = watch(response.body, { listen, meter, abort, release })
      const { status, statusText, headers } = response
      return new Response(body, { status, statusText, headers })
    } catch (error) {
      release()
      abort.abort(error)
      throw error
    }
  }
}

interface Watch {
  /** Whether a byte is waited for. */
  readonly listen: (waits: boolean) => void
  readonly meter: Meter
  readonly abort: AbortController
  readonly release: () => void
}

function watch(body: ReadableStream<Uint8Array>, { listen, meter, abort, release }: Watch): ReadableStream {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          listen(true)
          const { done, value } = await reader.read()
          listen(false)
          if (done) {
            release()
            return controller.close()
          }
          meter(value)
          controller.enqueue(value)
        } catch (error) {
          release()
          abort.abort(error)
          throw error
        }
      },
      async cancel(reason) {
        release()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
