import { connect, type Socket } from 'node:net'

/**
 * Sends one request after the other on each of some connections until the time is over. Written on bare sockets: a real HTTP client would cost more
 * than the servers that are measured, and hide the difference between them.
 */
export async function answersPerSecond(
  port: number,
  request: string,
  expected: string,
  options = { connections: 32, seconds: 2 },
): Promise<number> {
  const until = performance.now() + options.seconds * 1000
  const startedAt = performance.now()
  const counts = await Promise.all(
    Array.from({ length: options.connections }, () => drive(port, request, expected, until)),
  )
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000)
}

function drive(port: number, request: string, expected: string, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    let received = ''
    let count = 0
    socket.setNoDelay().setEncoding('latin1')
    socket.on('error', reject).on('connect', () => socket.write(request))
    socket.on('data', (chunk) => {
      received += chunk
      const end = received.indexOf('\r\n\r\n')
      const length = /content-length: (\d+)/i.exec(received)?.[1]
      if (end === -1 || received.length < end + 4 + Number(length ?? 0)) return
      if (!received.startsWith(expected))
        return reject(new Error(`expected ${expected}, got ${received.slice(0, 200)}`))
      received = ''
      count += 1
      if (performance.now() < until) socket.write(request)
      else socket.end(() => resolve(count))
    })
  })
}
