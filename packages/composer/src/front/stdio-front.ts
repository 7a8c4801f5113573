import type { Readable, Writable } from 'node:stream'
import type { Logger } from '@quire/kit/log'
import { createLineReader } from '@quire/mcp/connection/line-reader'
import { exceedsDepth } from '@quire/mcp/json'
import { guardStdout } from '@quire/mcp/serving/guarded-stdout'
import type { Gateway } from '../gateway/gateway.ts'
import type { RpcError } from '../rpc.ts'
import { CODES } from './protocol/codes.ts'
import { encodeError, onOneLine } from './protocol/encode.ts'
import { createStdioClient } from './stdio/stdio-client.ts'

export interface StdioFrontOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  /** Where stray output goes. */
  readonly stderr: Writable
  readonly logger: Logger
  readonly maxLineBytes?: number
}

export interface StdioFront {
  /** The client has closed our stdin, or `close` was called. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

const MAX_LINE_BYTES = 64 * 1024 * 1024
/** What a client may leave unread. A single message may be longer. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const NEWLINE = Buffer.from('\n')

/** Serves both eras to the one client at the other end of stdin and stdout. Until the end, stdout carries the protocol and nothing else. */
export function serveStdioFront(gateway: Gateway, options: StdioFrontOptions): StdioFront {
  const { stdin, stdout, stderr, logger, maxLineBytes = MAX_LINE_BYTES } = options
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const { protocol, release } = guardStdout(stdout, stderr)
  const client = createStdioClient({ gateway, logger, send })
  const lines = createLineReader({ maxBytes: maxLineBytes, onLine: read, onOverflow: refuseLong })
  const push = (chunk: Buffer) => lines.push(chunk)
  let isClosing = false
  let isClosed = false

  function send(message: Buffer): boolean {
    if (isClosed || protocol.destroyed) return false
    if (protocol.writableLength > MAX_UNREAD_BYTES) {
      logger.error({ maxUnreadBytes: MAX_UNREAD_BYTES }, 'the client on stdio reads too slowly: the end')
      void close()
      return false
    }
    protocol.write(Buffer.concat([onOneLine(message), NEWLINE]))
    return true
  }

  function read(line: string): void {
    if (line.trim() === '') return
    const message = parse(line)
    if (message instanceof SyntaxError) refuse({ code: CODES.parse, message: 'The line is not valid JSON.' })
    else if (exceedsDepth(message))
      refuse({ code: CODES.invalidRequest, message: 'The message is nested too deeply.' })
    else receive(message)
  }

  function receive(message: unknown): void {
    try {
      client.receive(message)
    } catch (error) {
      logger.error({ err: error }, 'a message of the client on stdio could not be taken')
    }
  }

  function refuseLong(): void {
    logger.error({ maxLineBytes }, 'a message of the client on stdio is too long')
    refuse({ code: CODES.invalidRequest, message: `The message is longer than ${maxLineBytes} bytes.` })
  }

  function refuse(error: RpcError): void {
    send(encodeError(null, error))
  }

  async function close(): Promise<void> {
    if (isClosing) return
    isClosing = true
    client.close()
    isClosed = true
    stdin.off('data', push)
    stdin.off('end', close)
    stdin.off('close', close)
    stdin.pause()
    release()
    resolve()
  }

  protocol.on('error', (error) => {
    logger.debug({ err: error }, 'the client on stdio is gone')
    void close()
  })
  stdin.on('error', (error) => logger.debug({ err: error }, 'stdin failed'))
  stdin.on('data', push)
  stdin.on('end', close)
  stdin.on('close', close)
  if (stdin.readableEnded || stdin.destroyed) void close()
  return Object.freeze({ closed, close })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    return error
  }
}
