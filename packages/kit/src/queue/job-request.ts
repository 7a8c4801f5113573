import { toJson } from '../store/json.ts'
import { createRowId } from '../store/row-id.ts'
import type { JobRequest, RetryPolicy } from './queue.ts'

export type CheckedRequest = Readonly<{
  id: string
  queue: string
  payload: string
  priority: number
  delayMs: number
  retry: RetryPolicy
}>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DAY_MS = 86_400_000

export function checkRequest(request: JobRequest, queues: ReadonlySet<string>): CheckedRequest {
  const { queue, id = createRowId(), priority = 0, delayMs = 0, retry = {} } = request
  checkQueue(queue, queues)
  if (!isJobId(id))
    throw new TypeError(`A job's id must be a UUID in lower case, and ${JSON.stringify(id)} is none.`)
  const { limit = 2, backoffMs = 1_000, maxBackoffMs = 60_000 } = retry
  return {
    id,
    queue,
    payload: toJson(request.payload),
    priority: checkInteger('priority', priority, -1_000_000, 1_000_000),
    delayMs: checkInteger('delayMs', delayMs, 0, 300 * DAY_MS),
    retry: {
      limit: checkInteger('retry.limit', limit, 0, 1_000),
      backoffMs: checkInteger('retry.backoffMs', backoffMs, 0, DAY_MS),
      maxBackoffMs: checkInteger('retry.maxBackoffMs', maxBackoffMs, 0, DAY_MS),
    },
  }
}

export function isJobId(id: string): boolean {
  return UUID.test(id)
}

export function checkQueue(name: string, queues: ReadonlySet<string>): void {
  if (!queues.has(name))
    throw new Error(
      `There is no queue ${JSON.stringify(name)}: name it among the queues when they are created (${[...queues].join(', ')}).`,
    )
}

export function checkInteger(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RangeError(`"${name}" must be a whole number from ${least} to ${most}, not ${value}.`)
}
