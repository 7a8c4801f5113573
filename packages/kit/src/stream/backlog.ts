export type BacklogOptions<Item> = Readonly<{
  maxItems?: number
  /** Needs `sizeOf`. */
  maxBytes?: number
  sizeOf?: (item: Item) => number
  /** Ends the iteration; what is waiting is let go. */
  signal?: AbortSignal
}> &
  Readonly<
    | {
        policy: 'drop-oldest'
        /** What the reader is told where items are missing. */
        onDropped: (count: number) => Item
      }
    | {
        policy: 'fail'
        /** Called at once, the iteration throws the same error: a reader that is stuck would never come to hear of it. */
        onOverflow?: (error: SlowReaderError) => void
      }
  >

export type Backlog<Item> = AsyncIterable<Item> &
  Readonly<{
    /** False when nobody will read this any more: stop pushing. */
    push(item: Item): boolean
    /** What is waiting is still read, then the iteration ends, or throws. */
    end(error?: unknown): void
    items(): number
    bytes(): number
  }>

/** The reader did not keep up, and was let go of. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError'
}

/** Turns pushes into an AsyncIterable for one reader, holding a bounded number of items for it. */
export function createBacklog<Item>(options: BacklogOptions<Item>): Backlog<Item> {
  const { maxItems = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, sizeOf, signal } = options
  if (maxItems === Number.POSITIVE_INFINITY && (maxBytes === Number.POSITIVE_INFINITY || !sizeOf)) {
    throw new TypeError('A backlog needs a bound: give maxItems, or maxBytes together with sizeOf.')
  }
  const waiting: Item[] = []
  let bytes = 0
  let dropped = 0
  let open = true
  let failure: { error: unknown } | undefined
  let reader: Reader<IteratorResult<Item, undefined>> | undefined
  let taken = false

  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()

  return Object.freeze({
    push,
    end,
    items: () => waiting.length,
    bytes: () => bytes,
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError('A backlog has one reader, and somebody is reading this one already.')
      taken = true
      return { next, return: async () => leave() }
    },
  })

  function push(item: Item): boolean {
    if (!open) return false
    waiting.push(item)
    bytes += sizeOf?.(item) ?? 0
    while (waiting.length > maxItems || bytes > maxBytes) {
      if (options.policy === 'fail') return overflow(options.onOverflow)
      take()
      dropped += 1
    }
    serve()
    return true
  }

  function overflow(onOverflow: ((error: SlowReaderError) => void) | undefined): false {
    const held = `${waiting.length} items (${bytes} bytes)`
    const error = new SlowReaderError(
      `The reader is too slow: ${held} were waiting for it. Read faster, or connect again to go on.`,
    )
    letGo()
    end(error)
    onOverflow?.(error)
    return false
  }

  function end(error?: unknown): void {
    if (!open) return
    open = false
    if (error !== undefined) failure = { error }
    serve()
  }

  function leave(): IteratorReturnResult<undefined> {
    signal?.removeEventListener('abort', leave)
    open = false
    failure = undefined
    letGo()
    serve()
    return ENDED
  }

  function letGo(): void {
    waiting.length = 0
    bytes = 0
    dropped = 0
  }

  function next(): Promise<IteratorResult<Item, undefined>> {
    return new Promise((resolve, reject) => {
      reader = { resolve, reject }
      serve()
    })
  }

  function serve(): void {
    const served = reader
    if (!served) return
    try {
      const result = poll()
      if (!result) return
      reader = undefined
      served.resolve(result)
    } catch (error) {
      reader = undefined
      served.reject(error)
    }
  }

  function poll(): IteratorResult<Item, undefined> | undefined {
    if (dropped > 0 && options.policy === 'drop-oldest') {
      const count = dropped
      dropped = 0
      return { done: false, value: options.onDropped(count) }
    }
    if (waiting.length > 0) return { done: false, value: take() }
    if (open) return undefined
    signal?.removeEventListener('abort', leave)
    if (!failure) return ENDED
    const { error } = failure
    failure = undefined
    throw error
  }

  function take(): Item {
    // Only called while something is waiting, which the type of shift() cannot know.
    const item = waiting.shift() as Item
    bytes -= sizeOf?.(item) ?? 0
    return item
  }
}

type Reader<Result> = { resolve: (result: Result) => void; reject: (error: unknown) => void }

const ENDED: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined })
