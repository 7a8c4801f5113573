import { createLogger } from '@quire/kit/log'
import { isRecord } from '../../document/json.ts'
import { createJupyterServer, type JupyterServer, type ServerTarget } from '../server.ts'
import type { KernelConnectionOptions } from './create-kernel-connection.ts'
import type { ExecutionEvent } from './execution-event.ts'
import type { KernelConnection } from './kernel-connection.ts'
import { openKernelConnection } from './open-kernel-connection.ts'

/** Connections to real kernels, all of which end with it. */
export interface KernelBench {
  readonly server: JupyterServer
  /** The sub-protocols that were chosen, the newest last. */
  readonly protocols: readonly string[]
  /** The session ids that were used, the newest last. */
  readonly sessions: readonly string[]
  startKernel(): Promise<string>
  connect(kernelId: string, options?: Partial<KernelConnectionOptions>): Promise<KernelConnection>
  interrupt(kernelId: string): () => Promise<void>
  close(): Promise<void>
}

export const silentLogger = createLogger({ level: 'silent', pretty: false })

export function createKernelBench(target: ServerTarget): KernelBench {
  const server = createJupyterServer(target, { logger: silentLogger })
  const protocols: string[] = []
  const sessions: string[] = []
  const connections: KernelConnection[] = []
  const watched: JupyterServer = {
    ...server,
    async openSocket(path, options) {
      sessions.push(options.query?.session_id ?? '')
      const socket = await server.openSocket(path, options)
      protocols.push(socket.protocol)
      return socket
    },
  }
  return Object.freeze({
    server,
    protocols,
    sessions,
    async startKernel() {
      const kernel = await server.request('POST', ['api', 'kernels'])
      if (!isRecord(kernel) || typeof kernel.id !== 'string') throw new Error('no kernel was started')
      return kernel.id
    },
    async connect(kernelId: string, options: Partial<KernelConnectionOptions> = {}) {
      const connection = await openKernelConnection({
        server: watched,
        kernelId,
        logger: silentLogger,
        ...options,
      })
      connections.push(connection)
      return connection
    },
    interrupt: (kernelId: string) => async () => {
      await server.request('POST', ['api', 'kernels', kernelId, 'interrupt'])
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()))
      await server.close()
    },
  })
}

/** Reads in the background. */
export interface Followed {
  readonly events: readonly ExecutionEvent[]
  readonly ended: Promise<readonly ExecutionEvent[]>
  /** Resolves once the text of its streams holds it. */
  seen(text: string): Promise<void>
}

export function follow(source: AsyncIterable<ExecutionEvent>): Followed {
  const events: ExecutionEvent[] = []
  const ended = (async () => {
    for await (const event of source) events.push(event)
    return events
  })()
  return {
    events,
    ended,
    seen: (text) => until(() => textOf(events).includes(text), `"${text}" was printed`),
  }
}

export function textOf(events: readonly ExecutionEvent[]): string {
  return events
    .map((event) =>
      event.type === 'output' && event.output.output_type === 'stream' ? event.output.text : '',
    )
    .join('')
}

const DEADLINE_MS = 30_000
const POLL_MS = 10

export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`it never came to it that ${what}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
