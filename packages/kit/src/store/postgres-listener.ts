import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Channels } from './channels.ts'
import { connectionSettings, endConnection } from './postgres-pool.ts'
import type { StoreLogger } from './store.ts'

const CONNECT_TIMEOUT_MS = 5_000
const HEARTBEAT_MS = 15_000
const MAX_BACKOFF_MS = 5_000

/** One connection of its own for LISTEN, made anew whenever it is lost. */
export function createPostgresListener(url: string, channels: Channels, logger: StoreLogger | undefined) {
  const closing = new AbortController()
  let connected: pg.Client | undefined
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      const client = createClient(url)
      try {
        const lost = whenLost(client, closing.signal)
        // Looked at below; a connection that is lost before that has told `connect` as well.
        lost.catch(() => undefined)
        await client.connect()
        connected = client
        for (const channel of channels.names()) await client.query(`listen "${channel}"`)
        failures = 0
        channels.deliverAll()
        await lost
      } catch (error) {
        if (!closing.signal.aborted)
          logger?.warn({ err: error }, 'the connection that listens to PostgreSQL was lost; trying again')
      }
      connected = undefined
      await endConnection(client)
      await pause(Math.min(MAX_BACKOFF_MS, 100 * 2 ** failures), closing.signal)
    }
  }

  return Object.freeze({
    /** To be called when a channel has got its first listener. */
    start(channel: string): void {
      running ??= run()
      const client = connected
      client?.query(`listen "${channel}"`).then(
        () => channels.deliver(channel, null),
        (error: Error) => client.emit('error', error),
      )
    },
    /** To be called when a channel has lost its last listener. */
    stop(channel: string): void {
      const client = connected
      client?.query(`unlisten "${channel}"`).catch((error: Error) => client.emit('error', error))
    },
    async close(): Promise<void> {
      closing.abort()
      await running
    },
  })

  function createClient(address: string): pg.Client {
    const client = new pg.Client({
      ...connectionSettings(address),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    })
    client.on('notification', ({ channel, payload }) => channels.deliver(channel, payload ?? ''))
    return client
  }
}

/** Rejects when the connection is gone or silent, resolves when it is no longer wanted. */
async function whenLost(client: pg.Client, closing: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => resolve()
  client.on('error', reject)
  client.on('end', () => reject(new Error('The connection was ended by the server.')))
  closing.addEventListener('abort', stop, { once: true })
  const heartbeat = setInterval(() => client.query('select 1').catch(reject), HEARTBEAT_MS).unref()
  try {
    await promise
  } finally {
    clearInterval(heartbeat)
    closing.removeEventListener('abort', stop)
  }
}

async function pause(ms: number, closing: AbortSignal): Promise<void> {
  // Being closed is the one way to be interrupted, and the loop looks at it next.
  await delay(ms, undefined, { signal: closing, ref: false }).catch(() => undefined)
}
