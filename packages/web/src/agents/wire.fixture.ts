import { createConnection, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a server of this machine that can be cut. It ends with the test. */
export async function startWire(port: number) {
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1')
    const both = [near, far]
    for (const [one, other] of [both, both.toReversed()] as const) {
      one?.on('error', () => other?.destroy()).on('close', () => other?.destroy())
      if (one && other) one.pipe(other)
    }
    open.add(near)
    if (isCut) near.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
    open.clear()
  }
  const mend = () => {
    isCut = false
  }
  onTestFinished(() => {
    server.close()
    cut()
  })
  const address = server.address()
  const at = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${at}`, cut, mend }
}
