import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createHooks, type Hooks } from '../hooks/hooks.ts'
import { createServers } from '../workbench/create-servers.ts'
import type { Servers } from '../workbench/servers.ts'
import type { ManagedNotebook } from './managed-notebook.ts'
import { openNotebook } from './open-notebook.ts'
import { createWorkspace } from './workspace.ts'

const logger = createSilentLogger()
const path = 'work.ipynb'

let jupyter: Jupyter
let servers: Servers
let hooks: Hooks
let told: string[]
let opened: ManagedNotebook[]
beforeAll(async () => {
  jupyter = await startJupyter()
  await writeFile(
    join(jupyter.root, path),
    JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  )
})
afterAll(() => jupyter.stop())
beforeEach(() => {
  const target = { url: jupyter.url, token: jupyter.token }
  servers = createServers({ document: target, sandbox: target }, { logger })
  hooks = createHooks(logger)
  told = []
  opened = []
  hooks.on('kernel_lifecycle', ({ event }) => void told.push(event))
})
afterEach(async () => {
  for (const { kernel } of opened) await kernel.release()
  for (const { id } of await servers.sessions.list()) await servers.sessions.delete(id)
  for (const { id } of await servers.kernels.list()) await servers.kernels.shutdown(id)
  await servers.close()
})

const open = (kernelId?: string) => {
  const notebook = openNotebook(servers, hooks, { name: 'work', path, kernelId })
  opened.push(notebook)
  return notebook.kernel
}

const running = async () => (await servers.kernels.list()).map(({ id }) => id)

describe('starting and adopting', () => {
  test('nothing is started before it is needed', async () => {
    const kernel = open()
    expect(await kernel.adopt()).toBeUndefined()
    expect([kernel.id(), await kernel.status(), await running()]).toEqual([undefined, 'not_initialized', []])
    await expect(kernel.interrupt()).rejects.toThrow('No kernel has been started')
  })

  test('a started kernel is that of the session which a person finds in Jupyter', async () => {
    verifies('NB-UP-1')
    const kernel = open()
    const { kernelId, notes } = await kernel.ready()
    expect(notes).toEqual([`[Started kernel '${kernelId}' (python3).]`])
    expect(await servers.sessions.find(path)).toMatchObject({ path, kernel: { id: kernelId } })
    expect((await kernel.ready()).notes).toEqual([])
    expect([await kernel.status(), told]).toEqual(['alive', ['started']])
  })

  test('callers at the same moment share one kernel', async () => {
    const kernel = open()
    const ids = (await Promise.all([kernel.ready(), kernel.ready(), kernel.ready()])).map(
      ({ kernelId }) => kernelId,
    )
    expect([new Set(ids).size, await running()]).toEqual([1, [ids[0]]])
  })

  test('the kernel of an existing session is adopted, and stays when the notebook is let go', async () => {
    verifies('NB-CARE-4')
    const session = await servers.sessions.create({ path })
    const kernel = open()
    expect(await kernel.adopt()).toBe(session.kernel.id)
    expect((await kernel.ready()).kernelId).toBe(session.kernel.id)
    expect(await kernel.release()).toEqual({ shutDown: false })
    expect(await running()).toEqual([session.kernel.id])
  })

  test('a given kernel is used as it is, and the session of somebody else keeps its own', async () => {
    verifies('NB-CARE-1', 'NB-CARE-4')
    const session = await servers.sessions.create({ path })
    const other = await servers.kernels.start()
    const kernel = open()
    await kernel.attach(other.id)
    expect((await kernel.ready()).kernelId).toBe(other.id)
    expect((await servers.sessions.find(path))?.kernel.id).toBe(session.kernel.id)
    await kernel.release()
    expect((await running()).sort()).toEqual([session.kernel.id, other.id].sort())
  })

  test('a given kernel that does not run is refused', async () => {
    await expect(open().attach('00000000-0000-0000-0000-000000000000')).rejects.toThrow(
      /not found.*list_kernels/,
    )
    await expect(open().attach('../../etc')).rejects.toThrow()
  })
})

test('a kernel whose start was answered into the void is ours all the same', async () => {
  const { sessions } = servers
  const create: typeof sessions.create = async (...args) => {
    await sessions.create(...args)
    throw new Error('the connection broke')
  }
  const cut = { ...servers, sessions: { ...sessions, create } }
  const { kernel } = openNotebook(cut, hooks, { name: 'work', path })
  await kernel.ready()
  expect(await running()).toHaveLength(1)
  expect(await kernel.release()).toEqual({ shutDown: true })
  expect(await running()).toEqual([])
})

test('a session that a person made at the same moment is theirs', async () => {
  const { sessions } = servers
  const early = await servers.kernels.start()
  const create: typeof sessions.create = () => sessions.create({ path, kernelId: early.id })
  const raced = { ...servers, sessions: { ...sessions, create } }
  const { kernel } = openNotebook(raced, hooks, { name: 'work', path })
  await kernel.ready()
  expect(await kernel.release()).toEqual({ shutDown: false })
  expect(await running()).toEqual([early.id])
})

describe('ending', () => {
  test('a kernel that we started is shut down with its session', async () => {
    verifies('NB-CARE-4')
    const kernel = open()
    await kernel.ready()
    expect(await kernel.release()).toEqual({ shutDown: true })
    expect([await running(), await servers.sessions.list(), told]).toEqual([[], [], ['started', 'stopped']])
    expect(await kernel.release()).toEqual({ shutDown: false })
  })

  test('unless somebody else is connected to it', async () => {
    const kernel = open()
    const { kernelId } = await kernel.ready()
    const person = await servers.sandbox.openSocket(['api', 'kernels', kernelId, 'channels'], {
      query: { session_id: 'person' },
    })
    expect(await kernel.release()).toEqual({ shutDown: false })
    expect(await running()).toEqual([kernelId])
    person.terminate()
  })

  test('a kernel that two names share goes with the last of them', async () => {
    const [first, second] = [open(), open()]
    const { kernelId } = await first.ready()
    expect((await second.ready()).kernelId).toBe(kernelId)
    expect(await first.release()).toEqual({ shutDown: false })
    expect(await second.status()).toBe('alive')
    expect(await second.release()).toEqual({ shutDown: true })
    expect(await running()).toEqual([])
  })

  test('a kernel that we started is not forgotten when another one is attached', async () => {
    const other = await servers.kernels.start()
    const kernel = open()
    await kernel.ready()
    const { kernelId } = await kernel.ready()
    expect(await kernel.attach(other.id)).toEqual({ shutDown: kernelId })
    expect(await running()).toEqual([other.id])
    await kernel.release()
    expect(await running()).toEqual([other.id])
  })

  test('a workspace lets its scratch kernels go too', async () => {
    const { scratch, clear } = createWorkspace('ada')
    const idOf = (thread?: string) =>
      scratch.use({ thread, servers, hooks }, async ({ kernelId }) => kernelId)
    const id = await idOf()
    expect(await idOf()).toBe(id)
    expect(await idOf('one')).not.toBe(id)
    expect(await running()).toHaveLength(2)
    await clear()
    expect(await running()).toEqual([])
  })
})

test('a kernel that has a session gets no second one', async () => {
  const session = await servers.sessions.create({ path: 'theirs.ipynb' })
  await open().attach(session.kernel.id)
  expect((await servers.sessions.list()).map((one) => one.path)).toEqual(['theirs.ipynb'])
})

describe('a kernel that is gone', () => {
  test('is replaced by a new one, which is said', async () => {
    verifies('NB-EXEC-6')
    const kernel = open()
    const { kernelId } = await kernel.ready()
    await servers.kernels.shutdown(kernelId)
    const notes: string[] = []
    // The kernel's own last word can be late.
    const readyId = async () => {
      const next = await kernel.ready()
      notes.push(...next.notes)
      return next.kernelId
    }
    await expect.poll(readyId).not.toBe(kernelId)
    expect(notes.join()).toMatch(
      new RegExp(`KERNEL REPLACED: kernel '${kernelId}' is gone.*'${kernel.id()}'.*variables are lost`),
    )
    expect(told).toEqual(['started', 'started', 'replaced'])
  })

  test('is found out though its last word was lost', async () => {
    verifies('NB-EXEC-6')
    const deaf: Servers['pool'] = {
      ...servers.pool,
      connection: async (...args) => ({
        ...(await servers.pool.connection(...args)),
        state: () => 'idle',
        quietMs: () => 60_000,
      }),
    }
    const { kernel } = openNotebook({ ...servers, pool: deaf }, hooks, { name: 'work', path })
    const { kernelId } = await kernel.ready()
    await servers.kernels.shutdown(kernelId)
    expect((await kernel.ready()).notes.join()).toContain(`KERNEL REPLACED: kernel '${kernelId}'`)
    await kernel.release()
  })

  test('is let go without a word when its session went before it', async () => {
    const kernel = open()
    const { kernelId } = await kernel.ready()
    await servers.kernels.shutdown(kernelId)
    expect(await kernel.release()).toEqual({ shutDown: true })
  })

  test('is still told of after a try that failed', async () => {
    verifies('NB-EXEC-6')
    const { id: kernelId } = await servers.kernels.start()
    await servers.kernels.shutdown(kernelId)
    const { sessions } = servers
    let isUp = false
    const create: typeof sessions.create = (...args) =>
      isUp ? sessions.create(...args) : Promise.reject(new Error('not yet'))
    const failing = { ...servers, sessions: { ...sessions, create } }
    const { kernel } = openNotebook(failing, hooks, { name: 'work', path, kernelId })
    await expect(kernel.ready()).rejects.toThrow('not yet')
    isUp = true
    expect((await kernel.ready()).notes.join()).toContain(`KERNEL REPLACED: kernel '${kernelId}'`)
    await kernel.release()
  })

  test('is replaced by the one that the person has chosen meanwhile', async () => {
    verifies('NB-EXEC-6')
    const session = await servers.sessions.create({ path })
    const kernel = open()
    await kernel.ready()
    const other = await servers.kernels.start()
    await servers.sessions.changeKernel(session.id, other.id)
    await expect.poll(async () => (await kernel.ready()).kernelId).toBe(other.id)
  })

  test('is replaced at a restart', async () => {
    const kernel = open()
    const { kernelId } = await kernel.ready()
    expect(await kernel.restart()).toEqual({ kernelId, replaced: false })
    await servers.kernels.shutdown(kernelId)
    expect(await kernel.restart()).toMatchObject({ replaced: true })
    expect(kernel.id()).not.toBe(kernelId)
    expect(await kernel.status()).toBe('alive')
  })

  test('is not believed gone because code in it says so, and stays its owner’s', async () => {
    verifies('NB-CARE-4')
    const session = await servers.sessions.create({ path })
    const kernel = open()
    const { connection, kernelId } = await kernel.ready()
    const forge =
      'k = get_ipython().kernel; k.session.send(k.iopub_socket, "status", {"execution_state": "dead"}, parent={}, ident=b"kernel.status")'
    for await (const _ of connection.execute(forge));
    await expect.poll(() => connection.state()).toBe('dead')
    const again = await kernel.ready()
    expect([again.kernelId, again.notes]).toEqual([kernelId, []])
    expect(await kernel.release()).toEqual({ shutDown: false })
    expect(await running()).toEqual([session.kernel.id])
  })

  test('is called dead, and a server that does not answer unknown', async () => {
    const kernel = open('00000000-0000-4000-8000-000000000000')
    expect(await kernel.status()).toBe('dead')
    const away = createServers(
      { document: { url: 'http://127.0.0.1:1' }, sandbox: { url: 'http://127.0.0.1:1' } },
      { logger },
    )
    const lost = openNotebook(away, hooks, {
      name: 'lost',
      path,
      kernelId: '00000000-0000-4000-8000-000000000000',
    })
    expect(await lost.kernel.status()).toBe('unknown')
    await away.close()
  })
})

test('with documents elsewhere a path has no session', async () => {
  const target = { url: jupyter.url, token: jupyter.token }
  const apart = createServers({ document: { ...target }, sandbox: target }, { logger })
  const { kernel } = openNotebook(apart, hooks, { name: 'work', path })
  await kernel.ready()
  expect(await servers.sessions.list()).toEqual([])
  expect(await kernel.release()).toEqual({ shutDown: true })
  await apart.close()
})

test('a renamed notebook takes its session along', async () => {
  const kernel = open()
  const { kernelId } = await kernel.ready()
  await kernel.moveTo('renamed.ipynb')
  expect((await servers.sessions.find('renamed.ipynb'))?.kernel.id).toBe(kernelId)
})
