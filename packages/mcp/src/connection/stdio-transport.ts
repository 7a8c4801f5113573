import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Logger } from '@quire/kit/log'
import { type Child, type ChildExit, DEFAULT_STOP_TIMES, type StopTimes, startChild } from './child.ts'
import { type Environment, toChildEnvironment } from './child-environment.ts'
import { messageOf } from './errors.ts'
import { createLineReader } from './line-reader.ts'
import { acceptMessage, parseMessage } from './message.ts'
import { resolveCommand } from './resolve-command.ts'

export interface StdioServer {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** All that the server gets beside the few names every program needs. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
}

export interface StdioTransportOptions {
  /** Our own environment: PATH, HOME and the like are taken from it, nothing else. */
  readonly environment: Environment
  readonly logger: Logger
  readonly onStderr?: ((line: string) => void) | undefined
  /** Sees each line of stdout before it is read; true: taken. */
  readonly onLine?: ((line: Buffer) => boolean) | undefined
  readonly maxLineBytes?: number | undefined
  readonly stopTimes?: StopTimes | undefined
}

/** How a server ended, for whoever has to explain it. */
export interface StdioEnding extends Partial<ChildExit> {
  /** A sentence without its subject: "ended with exit code 1". */
  readonly reason: string
  readonly stderr: readonly string[]
}

export interface StdioTransport extends Transport {
  readonly pid: number | null
  /** The last lines the server wrote to stderr. */
  readonly stderr: readonly string[]
  /** Lines on stdout that were no messages. */
  readonly garbageLines: number
  /** Something that it was sent was never read: the program ended too early, or closed its stdin. */
  readonly isUnread: boolean
  /** Undefined while the server runs. */
  readonly ending: StdioEnding | undefined
  /** One message, written with all others of this turn. Throws when the server cannot take it; what becomes of it later, the end of the server tells. */
  sendLine(message: string): void
}

const MAX_LINE_BYTES = 10 * 1024 * 1024
const MAX_UNREAD_BYTES = 10 * 1024 * 1024
const MAX_STDERR_LINE_BYTES = 8 * 1024
const STDERR_LINES = 50
const DRAIN_MS = 250
const EXIT_MS = 1000
const ENDING_MS = 50

/**
 * MCP over the stdin and stdout of a program that we start. Speaks bare JSON-RPC, so it serves the SDK's client and a relay alike.
 * `pid` and `stderr` also tell the SDK that this is stdio: it then asks for the protocol era on this process and starts no second one.
 */
export function createStdioTransport(server: StdioServer, options: StdioTransportOptions): StdioTransport {
  const { logger, maxLineBytes = MAX_LINE_BYTES, stopTimes = DEFAULT_STOP_TIMES } = options
  const stderr: string[] = []
  let child: Child | undefined
  let starting: Promise<void> | undefined
  let finished: Promise<void> | undefined
  let closed = false
  let failure: string | undefined
  let ending: StdioEnding | undefined
  let garbageLines = 0
  let isUnread = false
  let unsent = ''

  const transport: StdioTransport = {
    get pid() {
      return child?.pid ?? null
    },
    get stderr() {
      return [...stderr]
    },
    get garbageLines() {
      return garbageLines
    },
    get isUnread() {
      return isUnread
    },
    get ending() {
      return ending
    },
    start,
    send,
    sendLine,
    close,
  }
  return transport

  function start(): Promise<void> {
    if (starting) return Promise.reject(new Error('a stdio transport is started once'))
    starting = launch()
    return starting
  }

  async function launch(): Promise<void> {
    const env = toChildEnvironment(options.environment, server.env)
    try {
      const file = await resolveCommand(server.command, { path: env.PATH, cwd: server.cwd })
      if (closed) throw new Error('it was closed before it was started')
      child = await startChild({ file, args: server.args ?? [], env, cwd: server.cwd, stopTimes })
    } catch (error) {
      ending = { reason: `could not be started: ${messageOf(error)}`, stderr: [] }
      throw error
    }
    read(child)
    finished = child.exited.then(finish)
  }

  function read({ stdin, stdout, stderr: errors, stop }: Child): void {
    const messages = createLineReader({
      maxBytes: maxLineBytes,
      onLine: receive,
      onBytes: options.onLine,
      onOverflow: refuseLine,
    })
    const notes = createLineReader({
      maxBytes: MAX_STDERR_LINE_BYTES,
      onLine: note,
      onOverflow: (head) => note(`${head}…`),
    })
    stdout.on('data', messages.push)
    // A server that closed its stdout can never answer again. One that is just ending is left to it: what it did not read shows on its stdin.
    stdout.on('end', () => setTimeout(stop, ENDING_MS))
    errors.on('data', notes.push)
    errors.on('end', notes.end)
    stdin.on('error', () => {
      isUnread = true
    })
    for (const stream of [stdin, stdout, errors]) stream.on('error', (error) => transport.onerror?.(error))
  }

  function receive(line: string): void {
    if (line.trim() === '') return
    const parsed = parseMessage(line)
    const message = parsed && acceptMessage(parsed)
    if (message) {
      transport.onmessage?.(message)
    } else {
      garbageLines += 1
      logger.debug({ line: line.slice(0, 200) }, 'skipped a line on stdout that is no JSON-RPC message')
    }
  }

  function refuseLine(): void {
    failure ??= `was ended because it wrote a line of more than ${maxLineBytes} bytes to stdout`
    child?.kill()
  }

  function note(line: string): void {
    stderr.push(line)
    if (stderr.length > STDERR_LINES) stderr.shift()
    options.onStderr?.(line)
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    const stdin = openStdin()
    try {
      await write(stdin, `${JSON.stringify(message)}\n`)
    } catch (error) {
      // A broken pipe is seen before the end that broke it; whoever asks why shall find the reason.
      await finishedSoon()
      throw error
    }
  }

  function sendLine(message: string): void {
    openStdin()
    // After all sockets that are readable just now: what many ask at once goes out in one write.
    if (unsent === '') setImmediate(flush)
    unsent += `${message}\n`
  }

  function flush(): void {
    const lines = unsent
    unsent = ''
    if (child?.stdin.writable) child.stdin.write(lines)
  }

  function openStdin(): Writable {
    const stdin = child?.stdin
    if (!stdin?.writable) {
      isUnread = true
      throw new Error('the server is not running')
    }
    const unread = stdin.writableLength + unsent.length
    if (unread > MAX_UNREAD_BYTES) throw new Error(`the server has left ${unread} bytes of its stdin unread`)
    return stdin
  }

  async function finishedSoon(): Promise<void> {
    await Promise.race([finished, sleep(EXIT_MS, undefined, { ref: false })])
  }

  async function finish(exit: ChildExit): Promise<void> {
    if (child) await drained(child)
    ending = { ...exit, reason: failure ?? describeExit(exit), stderr: [...stderr] }
    transport.onclose?.()
  }

  async function close(): Promise<void> {
    closed = true
    // Whether it starts well is for the starter to know; what matters here is that nothing starts later.
    await starting?.catch(() => undefined)
    await child?.stop()
    await finishedSoon()
  }
}

/** What the server wrote before it ended still counts, unless a stray process keeps the pipe open. */
async function drained({ stdout, stderr }: Child): Promise<void> {
  const ended = [stdout, stderr].map((stream) =>
    stream.closed ? undefined : new Promise((resolve) => stream.once('close', resolve)),
  )
  await Promise.race([Promise.all(ended), sleep(DRAIN_MS, undefined, { ref: false })])
  stdout.destroy()
  stderr.destroy()
}

function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function describeExit({ code, signal }: ChildExit): string {
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`
}
