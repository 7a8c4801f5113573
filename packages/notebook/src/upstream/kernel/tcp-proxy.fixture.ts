import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a client and a server on loopback, to be cut through. */
export interface TcpProxy {
  readonly port: number
  /** Resets all connections; with `refuse`, new ones too until `mend`. */
  cut(options?: { readonly refuse?: boolean }): void
  /** On the WebSockets that are open nothing passes any more in either direction, and nobody is told. */
  freeze(): void
  mend(): void
  close(): Promise<void>
}

export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const webSockets = new Set<Socket>()
  let refuses = false
  const server = createServer((client) => {
    if (refuses) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    client.on('data', (chunk: Buffer) => {
      if (!/^upgrade: websocket/im.test(chunk.toString('latin1'))) return
      webSockets.add(client).add(upstream)
    })
    client.pipe(upstream)
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        webSockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = ({ refuse = false } = {}) => {
    refuses = refuse
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return Object.freeze({
    port: (server.address() as AddressInfo).port,
    cut,
    freeze() {
      for (const socket of webSockets) socket.unpipe().pause()
    },
    mend() {
      refuses = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  })
}
