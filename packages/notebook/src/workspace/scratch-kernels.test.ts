import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createHooks } from '../hooks/hooks.ts'
import { createServers } from '../workbench/create-servers.ts'
import type { Servers } from '../workbench/servers.ts'
import type { ReadyKernel } from './notebook-kernel.ts'
import { createScratchKernels } from './scratch-kernels.ts'

const logger = createSilentLogger()
const hooks = createHooks(logger)
const scratch = createScratchKernels()
let jupyter: Jupyter
let servers: Servers
beforeAll(async () => {
  jupyter = await startJupyter()
  const target = { url: jupyter.url, token: jupyter.token }
  servers = createServers({ document: target, sandbox: target }, { logger })
})
afterAll(async () => {
  await servers?.close()
  await jupyter?.stop()
})

const use = (thread: string, work = async (kernel: ReadyKernel) => kernel) =>
  scratch.use({ thread, servers, hooks }, work)
const running = async () => (await servers.kernels.list()).map(({ id }) => id)

test('kernels that are not in use make room, and it is said when they are missed', async () => {
  const ids: string[] = []
  for (const thread of ['a', 'b', 'c', 'd', 'a', 'e']) ids.push((await use(thread)).kernelId)
  const [a, b, c, d, again, e] = ids
  expect(again).toBe(a)
  expect((await running()).sort()).toEqual([a, c, d, e].sort())
  const { kernelId, notes } = await use('b')
  expect(notes).toEqual([expect.stringContaining(`KERNEL REPLACED: kernel '${b}' is gone`)])
  expect((await running()).sort()).toEqual([a, d, e, kernelId].sort())
})

test('those in use stay', async () => {
  const done = Promise.withResolvers<void>()
  const held = new Map<string, string>()
  const works = ['a', 'b', 'd', 'e', 'f'].map((thread) =>
    use(thread, async (kernel) => {
      held.set(thread, kernel.kernelId)
      await done.promise
      return kernel
    }),
  )
  await expect.poll(() => held.size).toBe(5)
  expect(await running()).toEqual(expect.arrayContaining([...held.values()]))
  done.resolve()
  await Promise.all(works)
  const { kernelId } = await use('g')
  expect(await running()).toContain(kernelId)
  expect(await running()).toHaveLength(4)
})

test('past a bound nothing more is started, and a newcomer is told what to do', async () => {
  const done = Promise.withResolvers<void>()
  // None of them comes as far as a server.
  const away = { ...servers, kernels: { ...servers.kernels, start: () => done.promise as Promise<never> } }
  const crowd = createScratchKernels()
  const enter = (thread: string) => crowd.use({ thread, servers: away, hooks }, async () => undefined)
  const waiting = Array.from({ length: 16 }, (_, index) => enter(`thread ${index}`))
  await expect(enter('one more')).rejects.toThrow('Wait until one is done, or open a notebook')
  done.reject(new Error('over'))
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
  expect(await running()).toHaveLength(4)
})

test('all are let go', async () => {
  await scratch.clear()
  expect([await running(), scratch.isEmpty()]).toEqual([[], true])
})
