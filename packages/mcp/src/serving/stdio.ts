import type { Readable, Writable } from 'node:stream'
import { isJSONRPCRequest, type McpServer, type Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio as serveStdioWithSdk } from '@modelcontextprotocol/server/stdio'
import type { Logger } from '@quire/kit/log'
import type { Era } from '../connection/era.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { Caller, ServerFactory } from './factory.ts'
import { guardStdout } from './guarded-stdout.ts'
import { watchSubscriptions } from './subscribed-resources.ts'

export interface StdioServingOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  /** Where stray output goes. */
  readonly stderr: Writable
  readonly logger: Logger
  readonly maxLineBytes?: number
}

export interface StdioServing {
  /** The client has closed our stdin, or `close` was called. */
  readonly closed: Promise<void>
  readonly notify: ChangeNotifier
  close(): Promise<void>
}

const MAX_LINE_BYTES = 64 * 1024 * 1024
const TOO_LONG = /exceed|too large|maximum/i

/** Serves both eras to the one client at the other end of stdin and stdout. Until the end, stdout carries the protocol and nothing else. */
export function serveStdio<Principal extends Caller>(
  factory: ServerFactory<Principal>,
  options: StdioServingOptions,
): StdioServing {
  const { logger, maxLineBytes = MAX_LINE_BYTES } = options
  const guard = guardStdout(options.stdout, options.stderr)
  const transport = new StdioServerTransport(options.stdin, guard.protocol, { maxBufferSize: maxLineBytes })
  const notifier = createStdioNotifier(logger)
  const serving = serveStdioWithSdk(
    async ({ era }) => {
      const product = await factory({ era, principal: undefined })
      notifier.serve(product, era)
      return product
    },
    {
      transport,
      onerror(error) {
        // The SDK ends the connection over it, and the client gets no answer: whoever looks for the reason must find it.
        if (TOO_LONG.test(error.message))
          logger.error({ err: error, maxLineBytes }, 'a message of the client is too long')
        else logger.debug({ err: error }, 'out-of-band error while serving MCP over stdio')
      },
    },
  )
  notifier.watch(transport)
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const forward = transport.onclose
  transport.onclose = () => {
    forward?.()
    guard.release()
    resolve()
  }
  return Object.freeze({ closed, notify: notifier.notify, close: serving.close })
}

/** The SDK routes what the one server object tells to the subscriptions of the stateless era; those of a session are ours to look at. */
function createStdioNotifier(logger: Logger) {
  let subscriptions: ReadonlySet<string> = new Set()
  let hasListened = false
  let served: { readonly server: Server; readonly era: Era } | undefined

  function tell(send: (server: Server) => Promise<void>): void {
    if (!served) return
    send(served.server).catch((error: unknown) =>
      logger.debug({ err: error }, 'the client could not be told of a change'),
    )
  }

  const notify: ChangeNotifier = Object.freeze({
    toolsChanged: () => tell((server) => server.sendToolListChanged()),
    promptsChanged: () => tell((server) => server.sendPromptListChanged()),
    resourcesChanged: () => tell((server) => server.sendResourceListChanged()),
    resourceUpdated(uri: string) {
      if (served?.era === 'modern' || subscriptions.has(uri))
        tell((server) => server.sendResourceUpdated({ uri }))
    },
    isWatched: () => hasListened || subscriptions.size > 0,
  })

  return {
    notify,
    serve(product: McpServer | Server, era: Era) {
      served = { server: 'server' in product ? product.server : product, era }
    },
    watch(transport: StdioServerTransport) {
      subscriptions = watchSubscriptions(transport)
      const { onmessage } = transport
      transport.onmessage = (message) => {
        if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') hasListened = true
        onmessage?.(message)
      }
    },
  }
}
