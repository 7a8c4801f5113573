import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createContents } from './contents.ts'
import { createKernels } from './kernels.ts'
import { createKeptLog, startPeer } from './peer.fixture.ts'
import { createJupyterServer, type JupyterServer } from './server.ts'
import { createSessions } from './sessions.ts'

const NOTEBOOK = { cells: [], metadata: { mark: 1 }, nbformat: 4, nbformat_minor: 5 }
const UUID = /^[0-9a-f-]{36}$/
const ISO = /^\d{4}-\d\d-\d\dT/

let jupyter: Jupyter
let server: JupyterServer
beforeAll(async () => {
  jupyter = await startJupyter()
  server = createJupyterServer({ url: jupyter.url, token: jupyter.token }, { logger: createKeptLog().logger })
})
afterAll(async () => {
  await server?.close()
  await jupyter?.stop()
})

describe('contents', () => {
  const contents = () => createContents(server)

  test('are written, read, listed, renamed and deleted', async () => {
    verifies('NB-UP-2')
    await contents().createFolder('a folder')
    const saved = await contents().create('a folder/ünï #1.ipynb', NOTEBOOK)
    expect(saved).toEqual({
      name: 'ünï #1.ipynb',
      path: 'a folder/ünï #1.ipynb',
      type: 'notebook',
      size: expect.any(Number),
      lastModified: expect.stringMatching(ISO),
      writable: true,
    })
    expect(await contents().get(saved.path)).toMatchObject({ ...saved, content: NOTEBOOK })
    expect(await contents().get(saved.path, { content: false })).toEqual(saved)
    expect(await contents().list('a folder')).toEqual([saved])
    expect((await contents().list('')).map(({ name, type }) => [name, type])).toContainEqual([
      'a folder',
      'directory',
    ])
    await contents().checkpoint(saved.path)
    expect(await contents().rename(saved.path, 'moved.ipynb')).toMatchObject({ path: 'moved.ipynb' })
    await contents().delete('moved.ipynb')
    await expect(contents().get('moved.ipynb')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a text file are its text, whatever type is asked for', async () => {
    await writeFile(join(jupyter.root, 'notes.txt'), 'hello')
    expect(await contents().get('notes.txt')).toMatchObject({ type: 'file', content: 'hello', size: 5 })
    expect(await contents().get('notes.txt', { type: 'file' })).toMatchObject({ content: 'hello' })
    await expect(contents().get('notes.txt', { type: 'directory' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  test('that exist are not created again, nor renamed over', async () => {
    await contents().save('one.ipynb', NOTEBOOK)
    await contents().save('two.ipynb', NOTEBOOK)
    await expect(contents().create('one.ipynb', NOTEBOOK)).rejects.toMatchObject({ code: 'conflict' })
    await expect(contents().rename('one.ipynb', 'two.ipynb')).rejects.toMatchObject({ code: 'conflict' })
    await contents().save('one.ipynb', { ...NOTEBOOK, metadata: { mark: 2 } })
    expect(await contents().get('one.ipynb')).toMatchObject({ content: { metadata: { mark: 2 } } })
  })

  test('that are missing are said to be, with what the server said', async () => {
    const missing = {
      code: 'not_found',
      message: expect.stringMatching(/GET http.*\/api\/contents\/nowhere.*answered 404 \(.+\)/),
    }
    await expect(contents().get('nowhere.ipynb')).rejects.toMatchObject(missing)
    await expect(contents().list('nowhere')).rejects.toMatchObject(missing)
    await expect(contents().delete('nowhere.ipynb')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('beyond the root are out of reach', async () => {
    await mkdir(join(jupyter.root, '..', 'outside'), { recursive: true })
    for (const path of ['../outside', '..', 'a/../../outside', '/etc', 'x\\..\\outside', 'a\0b']) {
      for (const attempt of [
        () => contents().get(path),
        () => contents().list(path),
        () => contents().save(path, NOTEBOOK),
        () => contents().create(path, NOTEBOOK),
        () => contents().createFolder(path),
        () => contents().rename('one.ipynb', path),
        () => contents().rename(path, 'x.ipynb'),
        () => contents().delete(path),
        () => contents().checkpoint(path),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ code: 'invalid_argument' })
      }
    }
  })

  test('of newer servers have a hash, which is always asked for', async () => {
    const model = {
      name: 'x',
      path: 'x',
      type: 'other',
      size: null,
      last_modified: null,
      hash: 'abc',
      more: { deep: 1 },
    }
    const peer = await startPeer((_request, response) => response.end(JSON.stringify(model)))
    try {
      const newer = createJupyterServer({ url: peer.url, token: 't' }, { logger: createKeptLog().logger })
      expect(await createContents(newer).get('x')).toEqual({
        name: 'x',
        path: 'x',
        type: 'file',
        size: null,
        lastModified: '',
        hash: 'abc',
        writable: true,
      })
      expect(peer.requests[0]?.url).toBe('/api/contents/x?content=1&hash=1')
    } finally {
      await peer.close()
    }
  })
})

describe('kernels and sessions', () => {
  const kernels = () => createKernels(server)
  const sessions = () => createSessions(server)

  test('kernelspecs are listed', async () => {
    const { default: preferred, specs } = await kernels().specs()
    expect(specs.map(({ name }) => name)).toContain(preferred)
    expect(specs).toContainEqual({
      name: 'python3',
      displayName: expect.stringContaining('Python 3'),
      language: 'python',
      environment: {},
    })
  })

  test('a kernel is started, found, interrupted, restarted and shut down', async () => {
    const kernel = await kernels().start({ name: 'python3', path: 'two.ipynb' })
    expect(kernel).toMatchObject({
      id: expect.stringMatching(UUID),
      name: 'python3',
      connections: 0,
      lastActivity: expect.stringMatching(ISO),
    })
    expect((await kernels().list()).map(({ id }) => id)).toContain(kernel.id)
    expect(await kernels().get(kernel.id)).toMatchObject({ id: kernel.id, name: 'python3' })
    await kernels().interrupt(kernel.id)
    expect(await kernels().restart(kernel.id)).toMatchObject({ id: kernel.id })
    await kernels().shutdown(kernel.id)
    const gone = { code: 'not_found' }
    await expect(kernels().get(kernel.id)).rejects.toMatchObject(gone)
    await expect(kernels().interrupt(kernel.id)).rejects.toMatchObject(gone)
    await expect(server.openSocket(['api', 'kernels', kernel.id, 'channels'], {})).rejects.toMatchObject(gone)
  })

  test('an id cannot lead elsewhere', async () => {
    for (const id of ['../contents', '..', '', 'a/b', 'a\\b']) {
      await expect(kernels().shutdown(id)).rejects.toMatchObject({ code: 'invalid_argument' })
      await expect(sessions().delete(id)).rejects.toMatchObject({ code: 'invalid_argument' })
    }
  })

  test('a kernel of an unknown kind is not found, and those that there are are named', async () => {
    const unknown = {
      code: 'not_found',
      message: expect.stringMatching(/no kernel named "nix".*It has: .*python3/),
    }
    await expect(kernels().start({ name: 'nix' })).rejects.toMatchObject(unknown)
    await expect(sessions().create({ path: 'x.ipynb', kernelName: 'nix' })).rejects.toMatchObject(unknown)
  })

  test('a session ties a notebook to a kernel', async () => {
    verifies('NB-UP-1')
    await createContents(server).save('tied.ipynb', NOTEBOOK)
    expect(await sessions().find('tied.ipynb')).toBeUndefined()
    const session = await sessions().create({ path: 'tied.ipynb', kernelName: 'python3' })
    expect(session).toMatchObject({
      id: expect.stringMatching(UUID),
      path: 'tied.ipynb',
      type: 'notebook',
      kernel: { name: 'python3' },
    })
    expect(await sessions().create({ path: 'tied.ipynb' })).toMatchObject({
      id: session.id,
      kernel: { id: session.kernel.id },
    })
    expect(await sessions().find('tied.ipynb')).toMatchObject({ id: session.id })
    expect((await sessions().list()).map(({ id }) => id)).toEqual([session.id])

    const other = await kernels().start()
    expect(await sessions().changeKernel(session.id, other.id)).toMatchObject({ kernel: { id: other.id } })
    await expect(kernels().get(session.kernel.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await sessions().move(session.id, 'untied.ipynb')).toMatchObject({ path: 'untied.ipynb' })
    await sessions().delete(session.id)
    await expect(kernels().get(other.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await sessions().list()).toEqual([])
  })

  test('a session can take a kernel that runs', async () => {
    const { id } = await kernels().start()
    const session = await sessions().create({ path: 'tied.ipynb', kernelId: id })
    expect(session.kernel.id).toBe(id)
    await sessions().delete(session.id)
  })

  test('are listed while others start', async () => {
    const starting = Promise.all(Array.from({ length: 4 }, () => kernels().start()))
    let isStarting = true
    const started = starting.finally(() => (isStarting = false))
    while (isStarting) await Promise.all([kernels().list(), sessions().list()])
    await Promise.all((await started).map(({ id }) => kernels().shutdown(id)))
  })

  test('are asked for again while the server fails to list them, and not for ever', async () => {
    let failures = 2
    const peer = await startPeer((_request, response) => {
      failures -= 1
      response.writeHead(failures < 0 ? 200 : 500).end('[]')
    })
    try {
      const failing = createJupyterServer({ url: peer.url, token: 't' }, { logger: createKeptLog().logger })
      expect(await createKernels(failing).list()).toEqual([])
      expect(peer.requests).toHaveLength(3)
      failures = Number.POSITIVE_INFINITY
      await expect(createSessions(failing).list()).rejects.toMatchObject({ code: 'failing' })
      expect(peer.requests).toHaveLength(8)
      const left = new AbortController()
      const listing = createSessions(failing).list(left.signal)
      await vi.waitUntil(() => peer.requests.length === 9, 30_000)
      left.abort(new Error('the caller left'))
      await expect(listing).rejects.toThrow('the caller left')
    } finally {
      await peer.close()
    }
  })

  test('answers that are no models are refused, and unknown fields pass', async () => {
    const answers: [string, string][] = [
      ['/api/kernels', '{"no": "list"}'],
      [
        '/api/sessions',
        '[{"id": "s", "path": "p", "type": "notebook", "kernel": null}, {"id": "t", "path": "p", "type": "notebook", "kernel": {"id": "k", "new": 1}}]',
      ],
      ['/api/kernelspecs', '{"default": "x", "kernelspecs": {"x": {"spec": {"env": {"A": 1}}}}}'],
    ]
    const peer = await startPeer((request, response) => response.end(new Map(answers).get(request.url ?? '')))
    try {
      const odd = createJupyterServer({ url: peer.url, token: 't' }, { logger: createKeptLog().logger })
      await expect(createKernels(odd).list()).rejects.toMatchObject({
        code: 'failing',
        message: expect.stringContaining('not a list of kernels'),
      })
      expect(await createKernels(odd).specs()).toEqual({
        default: 'x',
        specs: [{ name: 'x', displayName: 'x', language: '', environment: {} }],
      })
      expect(await createSessions(odd).list()).toEqual([
        {
          id: 't',
          path: 'p',
          type: 'notebook',
          kernel: { id: 'k', name: '', executionState: 'unknown', connections: 0, lastActivity: '' },
        },
      ])
    } finally {
      await peer.close()
    }
  })
})
