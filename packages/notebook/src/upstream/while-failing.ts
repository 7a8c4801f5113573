import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../tool-error.ts'

/** The server knows a kernel some moments before it can describe it: until then it fails to list any, and to say how many there are. */
const PAUSES_MS = [100, 300, 1_000, 2_000]

/** Asks again while the server fails, for some seconds. */
export async function whileFailing<Result>(
  ask: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (const pause of PAUSES_MS) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'failing') throw error
    }
    await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
  return ask()
}
