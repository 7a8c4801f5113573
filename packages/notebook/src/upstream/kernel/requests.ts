import { type Backlog, createBacklog } from '@quire/kit/stream/backlog'
import { createExecution, type Execution } from './execution.ts'
import type { ExecutionEvent } from './execution-event.ts'
import { jsonBytes } from './json-bytes.ts'
import type { Loss } from './loss.ts'

/** Code that was sent and has not ended. */
export interface PendingRequest {
  readonly execution: Execution
  readonly events: AsyncIterable<ExecutionEvent>
  /** Of the kernel that answered it. */
  session: string | undefined
  hasReader: boolean
}

export interface Requests {
  add(id: string, signal: AbortSignal | undefined): PendingRequest
  get(id: string): PendingRequest | undefined
  all(): readonly PendingRequest[]
  some(isMeant: (request: PendingRequest) => boolean): boolean
  size(): number
  /** All of them, or those that are meant. */
  lose(loss: Loss, isMeant?: (request: PendingRequest) => boolean): void
  /** Those that nobody reads are no longer waited for. */
  forgetUnread(): void
}

export interface RequestsOptions {
  readonly isDisturbed: () => boolean
  /** One has ended, or was forgotten. */
  readonly onEnd: () => void
}

const MAX_WAITING = { maxItems: 10_000, maxBytes: 16 * 1024 * 1024 } as const

export function createRequests({ isDisturbed, onEnd }: RequestsOptions): Requests {
  const requests = new Map<string, PendingRequest>()

  return Object.freeze({
    add(id: string, signal: AbortSignal | undefined) {
      const events = createEvents(signal)
      const execution = createExecution({
        emit: events.push,
        isDisturbed,
        onEnd() {
          events.end()
          requests.delete(id)
          onEnd()
        },
      })
      const request: PendingRequest = { execution, events, session: undefined, hasReader: true }
      requests.set(id, request)
      return request
    },
    get: (id: string) => requests.get(id),
    all: () => [...requests.values()],
    some: (isMeant: (request: PendingRequest) => boolean) => requests.values().some(isMeant),
    size: () => requests.size,
    lose(loss: Loss, isMeant: (request: PendingRequest) => boolean = () => true) {
      for (const request of [...requests.values()]) if (isMeant(request)) request.execution.lose(loss)
    },
    forgetUnread() {
      for (const [id, { hasReader }] of requests) if (!hasReader) requests.delete(id)
      onEnd()
    },
  })
}

function createEvents(signal: AbortSignal | undefined): Backlog<ExecutionEvent> {
  return createBacklog<ExecutionEvent>({
    ...MAX_WAITING,
    sizeOf: jsonBytes,
    policy: 'drop-oldest',
    onDropped(count) {
      const text = `\n[${count} outputs were lost here: they came faster than they were read]\n`
      return { type: 'output', output: { output_type: 'stream', name: 'stderr', text } }
    },
    ...(signal && { signal }),
  })
}
