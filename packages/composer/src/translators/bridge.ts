import { type StdioFrontOptions, serveStdioFront } from '../front/stdio-front.ts'
import type { RemoteDefinition } from '../server-definition.ts'
import { createPassThrough, type PassThroughOptions } from './pass-through.ts'

export interface BridgeOptions extends PassThroughOptions, StdioFrontOptions {
  /** Ends it; so does the end of stdin. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Offers a remote server to the client at the other end of stdin and stdout, until one of the two sides ends it.
 * Rejects with a `ComposerError` where the remote cannot be reached at first; later it is reached again when it comes back.
 */
export async function runBridge(definition: RemoteDefinition, options: BridgeOptions): Promise<void> {
  const { signal } = options
  const { gateway, start, close } = await createPassThrough(definition, options)
  try {
    await start()
    const front = serveStdioFront(gateway, options)
    const end = () => void front.close()
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    await front.closed
    signal?.removeEventListener('abort', end)
  } finally {
    await close()
  }
}
