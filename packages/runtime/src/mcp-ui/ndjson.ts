import type { Logger } from '@quire/kit/log'
import { failureOfEnd, type StreamFailure } from '../stream-failure.ts'

export interface NdjsonOptions {
  readonly logger: Logger
  /** Ends the stream from our side. */
  readonly signals: readonly (AbortSignal | undefined)[]
  readonly headers: Readonly<Record<string, string>>
  /** Counts the stream, and tells what to call at its end; undefined where its reader has too many. */
  readonly enter: () => (() => void) | undefined
  /** The last line of a stream that we end; without a failure its source has failed, which is logged. */
  readonly lastLine: (failure?: StreamFailure) => unknown
  /** An empty line, which readers skip, is sent after this long without another. */
  readonly heartbeatMs?: number | undefined
}

const MEDIA_TYPE = 'application/x-ndjson'
const HEADERS = Object.freeze({
  'content-type': `${MEDIA_TYPE}; charset=utf-8`,
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})
/** So many heartbeats long a reader may take nothing of what is there for it. */
const PATIENCE = 4

/** For `responses` of a route. Its type says nothing of the body, which is no single JSON value. */
export const lines = (
  description: string,
  schema: object,
  sample: string,
): { readonly description: string } =>
  Object.assign({ description }, { content: { [MEDIA_TYPE]: { schema, example: sample } } })

/** One JSON value a line. The source is asked for the next one when the reader has taken the last, and ends with the signal that it is given. */
export function ndjsonResponse(
  source: (signal: AbortSignal) => AsyncIterable<unknown>,
  { logger, signals, headers, enter, lastLine, heartbeatMs = 15_000 }: NdjsonOptions,
): Response {
  const gone = new AbortController()
  const over = AbortSignal.any([gone.signal, ...signals.flatMap((signal) => signal ?? [])])
  let items: AsyncIterator<unknown> | undefined
  let next: Promise<IteratorResult<unknown>> | undefined
  let patience: NodeJS.Timeout | undefined
  let exit: (() => void) | undefined
  let isLast = false

  /** A source that is not at work at the moment does not hear of a signal. */
  function leave(): void {
    clearTimeout(patience)
    exit?.()
    gone.abort()
    Promise.resolve(items?.return?.()).catch((error) =>
      logger.debug({ err: error }, 'a source failed after its reader had gone'),
    )
  }

  /** Undefined at the end. */
  async function readLine(): Promise<string | undefined> {
    if (isLast) return undefined
    exit ??= enter()
    if (!exit) return end(failureOfEnd('too-many'))
    try {
      items ??= source(over)[Symbol.asyncIterator]()
      next ??= items.next()
      const result = await within(next, heartbeatMs)
      if (!result) return '\n'
      next = undefined
      if (!result.done) return toLine(result.value)
      return signals.some((signal) => signal?.aborted) ? end(failureOfEnd('refused')) : undefined
    } catch (error) {
      logger.error({ err: error }, 'the source of a stream failed')
      return end()
    }
  }

  function end(failure?: StreamFailure): string {
    isLast = true
    return toLine(lastLine(failure))
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(patience)
        const line = await readLine()
        if (gone.signal.aborted) return
        if (line === undefined) {
          exit?.()
          return controller.close()
        }
        controller.enqueue(Buffer.from(line))
        patience = setTimeout(() => {
          leave()
          controller.error(new Error('The reader took nothing for too long.'))
        }, heartbeatMs * PATIENCE).unref()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { ...HEADERS, ...headers } })
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** Undefined when it takes longer. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const quiet = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise, quiet])
  } finally {
    clearTimeout(timer)
  }
}
