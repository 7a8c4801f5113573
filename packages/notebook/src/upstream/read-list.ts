import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../tool-error.ts'
import type { JupyterServer } from './server.ts'

/** The server knows a kernel some moments before it can describe it, and fails to list any until then. */
const PAUSES_MS = [100, 300, 1_000, 2_000]

/** Reads the list of kernels or of sessions, and again while the server fails. */
export async function readList(
  server: JupyterServer,
  of: 'kernels' | 'sessions',
  signal?: AbortSignal,
): Promise<unknown> {
  for (const pause of PAUSES_MS) {
    try {
      return await server.request('GET', ['api', of], { signal })
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'failing') throw error
    }
    await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
  return server.request('GET', ['api', of], { signal })
}
