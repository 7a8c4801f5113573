import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the kernel gives to outgoing connections, so that one stays free while its server restarts. */
const LOWEST = 20_000
const HIGHEST = 32_000
const ATTEMPTS = 50

/** A loopback port that nobody listens on. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
  throw new Error(`No free port between ${LOWEST} and ${HIGHEST} in ${ATTEMPTS} attempts.`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    // Taken, or not ours to take: either way the next one is tried.
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
