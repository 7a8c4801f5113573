// Makes the load on one gateway, at the orders of its parent: code that has met one gateway is not made slower by having met the others.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type Load, load } from './load.ts'
import { type Endpoint, type LoadClient, openClient } from './mcp-client.ts'

type Order =
  | { readonly type: 'open'; readonly endpoint: Endpoint; readonly count: number }
  | { readonly type: 'load'; readonly tool: string; readonly seconds: number }
  | { readonly type: 'close' }

export interface LoadProcess {
  open(endpoint: Endpoint, count: number): Promise<void>
  load(tool: string, seconds: number): Promise<Load>
  close(): Promise<void>
  stop(): void
}

export function startLoadProcess(): LoadProcess {
  const child = fork(import.meta.filename, { serialization: 'advanced' })
  return {
    async open(endpoint, count) {
      await order(child, { type: 'open', endpoint, count })
    },
    load: (tool, seconds) => order(child, { type: 'load', tool, seconds }),
    async close() {
      await order(child, { type: 'close' })
    },
    stop: () => void child.kill(),
  }
}

interface Reply {
  readonly result?: Load
  readonly error?: string
}

async function order(child: ChildProcess, what: Order): Promise<Load> {
  const over = new AbortController()
  const { signal } = over
  child.send(what)
  try {
    const [reply]: Reply[] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => [{ error: 'the process that makes the load has ended' }]),
    ])
    if (reply?.error !== undefined) throw new Error(reply.error)
    return reply?.result ?? { calls: 0, perSecond: 0, latencies: [] }
  } finally {
    over.abort()
  }
}

if (process.send) {
  let clients: readonly LoadClient[] = []
  process.on('message', (what: Order) => {
    obey(what).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })

  async function obey(what: Order): Promise<Load | undefined> {
    if (what.type === 'load') return load(clients, what.tool, { seconds: what.seconds })
    if (what.type === 'close') await Promise.all(clients.map((client) => client.close()))
    else clients = await Promise.all(Array.from({ length: what.count }, () => openClient(what.endpoint)))
    return undefined
  }
}
