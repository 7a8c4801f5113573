import type { FetchLike, Transport } from '@modelcontextprotocol/client'
import type { Logger } from '@quire/kit/log'
import { boundFetch } from './bounded-fetch.ts'
import type { StopTimes } from './child.ts'
import type { Environment } from './child-environment.ts'
import { refusableFetch } from './http-refusal.ts'
import { createHttpTransport, createSseTransport } from './http-transport.ts'
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts'
import { type Tap, tapTransport } from './tap.ts'
import type { Target } from './target.ts'

export interface LinkOptions {
  readonly environment: Environment
  readonly logger: Logger
  readonly fetch: FetchLike
  readonly maxMessageBytes: number
  readonly stopTimes: StopTimes
  readonly onStderr: (line: string) => void
  readonly tap?: Tap | undefined
}

/** A transport to a target, and what only one kind of transport can tell or do. */
export interface Link {
  readonly transport: Transport
  readonly stdio?: StdioTransport
  readonly endSession?: () => Promise<void>
}

export async function openLink(target: Target, options: LinkOptions): Promise<Link> {
  const link = await createLink(target, options)
  return options.tap ? tapLink(link, options.tap) : link
}

function tapLink(link: Link, tap: Tap): Link {
  const tapped = { ...link, transport: tapTransport(link.transport, link.stdio !== undefined, tap) }
  tap.attach(tapped)
  return tapped
}

async function createLink(target: Target, options: LinkOptions): Promise<Link> {
  const { maxMessageBytes } = options
  const fetch = refusableFetch(boundFetch(options.fetch, maxMessageBytes))
  switch (target.type) {
    case 'stdio': {
      const stdio = createStdioTransport(target, {
        ...options,
        maxLineBytes: maxMessageBytes,
        onLine: options.tap?.onLine,
      })
      return { transport: stdio, stdio }
    }
    case 'http': {
      const transport = createHttpTransport(target, fetch)
      return { transport, endSession: transport.endSession }
    }
    case 'sse':
      return { transport: createSseTransport(target, fetch) }
    case 'custom':
      return { transport: await target.open() }
  }
}

export async function closeLink({ transport }: Link, logger: Logger): Promise<void> {
  try {
    await transport.close()
  } catch (error) {
    logger.debug({ err: error }, 'a transport did not close cleanly')
  }
}
