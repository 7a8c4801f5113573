import { afterEach, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { KernelConnection, KernelState } from '../upstream/kernel/kernel-connection.ts'
import { createKernelPool, type KernelPool, type KernelPoolOptions } from './kernel-pool.ts'

/** Only whether it is open and what runs on it matters here. */
function createFake() {
  const log: string[] = []
  const states = new Map<string, KernelState>()
  const open = async (kernelId: string) => {
    log.push(`open ${kernelId}`)
    if (kernelId === 'broken') throw new Error('no')
    return {
      kernelId,
      state: () => states.get(kernelId) ?? 'idle',
      close: async () => void log.push(`close ${kernelId}`),
    } as KernelConnection
  }
  return { log, states, open }
}

let pool: KernelPool | undefined
afterEach(() => pool?.close())

function create(options: Partial<KernelPoolOptions>) {
  const fake = createFake()
  pool = createKernelPool({ open: fake.open, isInUse: () => false, logger: createSilentLogger(), ...options })
  return { ...fake, pool }
}

test('all who want a kernel share one connection', async () => {
  const { pool, log } = create({})
  const [one, two] = await Promise.all([pool.connection('a'), pool.connection('a')])
  expect([one === two, log, pool.isLive('a'), pool.isLive('b')]).toEqual([true, ['open a'], true, false])
})

test('a connection that could not be opened is tried again by the next', async () => {
  const { pool, log } = create({})
  await expect(pool.connection('broken')).rejects.toThrow('no')
  await expect(pool.connection('broken')).rejects.toThrow('no')
  expect(log).toEqual(['open broken', 'open broken'])
})

test('past the bound the one that was longest unused goes, unless code runs on it', async () => {
  const { pool, log, states } = create({ maxConnections: 2 })
  states.set('a', 'busy')
  for (const kernelId of ['a', 'b', 'c']) await pool.connection(kernelId)
  expect(log).toEqual(['open a', 'open b', 'close b', 'open c'])
})

test('an unused connection to a kernel of nobody is closed, so that the server can cull the kernel', async () => {
  const { pool, log, states } = create({ idleMs: 10, isInUse: (kernelId) => kernelId === 'used' })
  states.set('running', 'busy')
  for (const kernelId of ['used', 'running', 'foreign']) await pool.connection(kernelId)
  await expect.poll(() => log).toContain('close foreign')
  expect([pool.isLive('used'), pool.isLive('running'), pool.isLive('foreign')]).toEqual([true, true, false])
})
