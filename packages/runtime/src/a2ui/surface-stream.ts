import type { PlacedFrame } from '../turns/frame.ts'
import type { A2uiMessage } from './messages.ts'
import type { Surface } from './surface.ts'

export interface PlacedMessage {
  /** The last frame that the surface shows by then. */
  readonly id?: string
  readonly message: A2uiMessage
}

const FASTEST_MS = 100
const SLOWEST_MS = 1_000
const CHARACTERS_PER_MS = 20

/**
 * A surface from its first message to its last. A text that grows is told whole each time, as the protocol has no way to add to one: so it is told at
 * most ten times a second, and the longer it is, the more rarely.
 */
export async function* surfaceMessages(
  frames: AsyncIterable<PlacedFrame>,
  surface: Surface,
): AsyncGenerator<PlacedMessage> {
  const iterator = frames[Symbol.asyncIterator]()
  let next = iterator.next()
  let pause: Pause | undefined
  let id: string | undefined
  const placed = (messages: readonly A2uiMessage[]): readonly PlacedMessage[] =>
    messages.map((message) => ({ message, ...(id !== undefined && { id }) }))

  try {
    yield* placed(surface.begin())
    for (;;) {
      const result = await (pause ? Promise.race([pause.over, next]) : next)
      if (result === undefined) {
        pause = undefined
        yield* placed(surface.flush())
        continue
      }
      if (result.done) break
      id = result.value.id
      yield* placed(surface.take(result.value.frame))
      next = iterator.next()
      const length = surface.grown()
      if (length !== undefined) pause ??= createPause(paceOf(length))
    }
    yield* placed(surface.flush())
  } finally {
    pause?.end()
    // Nobody reads any more: neither a failure nor the rest.
    next.catch(() => undefined)
    void iterator.return?.()
  }
}

function paceOf(length: number): number {
  return Math.min(SLOWEST_MS, Math.max(FASTEST_MS, length / CHARACTERS_PER_MS))
}

interface Pause {
  readonly over: Promise<undefined>
  end(): void
}

function createPause(ms: number): Pause {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return { over: promise, end: () => clearTimeout(timer) }
}
