import { type Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio as serveStdioWithSdk } from '@modelcontextprotocol/server/stdio'
import type { Logger } from '@quire/kit/log'
import type { Caller, ServerFactory } from './factory.ts'

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
  close(): Promise<void>
}

const MAX_LINE_BYTES = 10 * 1024 * 1024

/** Serves both eras to the one client at the other end of stdin and stdout. Until the end, stdout carries the protocol and nothing else. */
export function serveStdio<Principal extends Caller>(
  factory: ServerFactory<Principal>,
  options: StdioServingOptions,
): StdioServing {
  const { logger, maxLineBytes = MAX_LINE_BYTES } = options
  const guard = guardStdout(options.stdout, options.stderr)
  const transport = new StdioServerTransport(options.stdin, guard.protocol, { maxBufferSize: maxLineBytes })
  const serving = serveStdioWithSdk(({ era }) => factory({ era, principal: undefined }), {
    transport,
    onerror: (error) => logger.debug({ err: error }, 'out-of-band error while serving MCP over stdio'),
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const forward = transport.onclose
  transport.onclose = () => {
    forward?.()
    guard.release()
    resolve()
  }
  return Object.freeze({ closed, close: serving.close })
}

/** One careless `console.log` in a tool would break the protocol: it goes to stderr instead. */
function guardStdout(stdout: Writable, stderr: Writable): { protocol: Writable; release: () => void } {
  const write = stdout.write
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void Reflect.apply(write, stdout, [chunk, encoding, done]),
  })
  stdout.on('error', (error) => protocol.destroy(error))
  stdout.write = stderr.write.bind(stderr)
  return {
    protocol,
    release() {
      stdout.write = write
    },
  }
}
