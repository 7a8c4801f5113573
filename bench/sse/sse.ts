import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type BenchServer, median, startServer } from '../child.ts'
import { TOKEN } from '../guarded-app.ts'

const streams = 2_000
const request = `GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`

/** What an idle event stream holds in memory, against one of bare Hono. */
export async function benchSse(): Promise<string[]> {
  const heap = { bare: [] as number[], quire: [] as number[] }
  const rss = { bare: [] as number[], quire: [] as number[] }
  for (let round = 0; round < 3; round += 1) {
    for (const name of ['bare', 'quire'] as const) {
      const { heapBytes, rssBytes } = await perStream(
        await startServer(join(import.meta.dirname, `${name}-server.ts`)),
      )
      heap[name].push(heapBytes)
      rss[name].push(rssBytes)
    }
  }
  const line = (what: string, { bare, quire }: typeof heap, aim: string) =>
    `${what.padEnd(38)} ${(median(quire) / median(bare)).toFixed(2)} of bare Hono${aim}; ${(median(quire) / 1024).toFixed(1)} against ${(median(bare) / 1024).toFixed(1)} KiB each`
  return [
    line(`${streams} idle SSE streams, resident`, rss, ' (aim: at most 1.50)'),
    line(`${streams} idle SSE streams, heap`, heap, ''),
  ]
}

async function perStream(server: BenchServer): Promise<{ heapBytes: number; rssBytes: number }> {
  const warm = await openStreams(server.port, 100)
  const before = await server.usage({ collected: true })
  const sockets = await openStreams(server.port, streams)
  const after = await server.usage({ collected: true })
  for (const socket of [...warm, ...sockets]) socket.destroy()
  await server.stop()
  return {
    heapBytes: (after.heapBytes - before.heapBytes) / streams,
    rssBytes: (after.rssBytes - before.rssBytes) / streams,
  }
}

async function openStreams(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += 100) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => openStream(port)))))
  }
  return sockets
}

/** Open once the first frame is here. */
function openStream(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let received = ''
    socket.on('error', reject).on('data', (chunk) => {
      received += chunk
      if (received.includes('hello')) resolve(socket)
    })
  })
}
