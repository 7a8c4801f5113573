import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../tool-error.ts'
import { findMatches, type Matches, type MatchRequest } from './find-matches.ts'

const SCRIPT = `const { parentPort, workerData } = require('node:worker_threads')
parentPort.postMessage((${findMatches})(workerData))`

export interface WorkerOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** There are regular expressions that take longer than the universe has: one runs where it can be stopped and blocks nobody. */
export async function matchInWorker(
  request: MatchRequest,
  { timeoutMs, signal }: WorkerOptions,
): Promise<Matches> {
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(timeoutMs)
  const worker = new Worker(SCRIPT, {
    eval: true,
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  // `once` hears of its failures until then; one that comes while it is being stopped has nobody left to tell.
  worker.on('error', () => undefined)
  try {
    const [matches]: Matches[] = await once(worker, 'message', {
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    return matches ?? { matches: [], total: 0 }
  } catch (error) {
    signal?.throwIfAborted()
    const why = deadline.aborted
      ? `it was not done after ${timeoutMs / 1000} seconds`
      : `it failed (${error instanceof Error ? error.message : error})`
    throw new ToolError(
      'invalid_argument',
      `The search for this regular expression was stopped: ${why}. Use a simpler one, without repetitions inside repetitions, or search for plain text.`,
      { cause: error },
    )
  } finally {
    await worker.terminate()
  }
}
