import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContents } from './contents.ts'
import { createKernels } from './kernels.ts'
import { createKeptLog, createRecordingFetch, type Recorded } from './peer.fixture.ts'
import { createJupyterServer, type ServerTarget } from './server.ts'
import { checkServer } from './status.ts'

const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }
const PASSWORD = 'correct horse & bätterÿ=%+'

let jupyter: Jupyter
beforeAll(async () => {
  jupyter = await startJupyter({ token: '', password: PASSWORD })
})
afterAll(() => jupyter?.stop())

function open(target: Partial<ServerTarget> = {}) {
  const { fetch, requests } = createRecordingFetch()
  const log = createKeptLog()
  const server = createJupyterServer(
    { url: jupyter.url, password: PASSWORD, ...target },
    { logger: log.logger, fetch },
  )
  return { server, requests, log, kernels: createKernels(server), contents: createContents(server) }
}

const summary = (requests: readonly Recorded[]) =>
  requests.map(({ method, url, status }) => `${method} ${new URL(url).pathname} ${status}`)

const LOGIN = ['GET /login 200', 'POST /login 302', 'GET /api/status 200']

describe('a server with a password and no token', () => {
  test('is logged into at first use, once', async () => {
    verifies('NB-LOGIN-1', 'NB-LOGIN-11')
    const { kernels, requests } = open()
    expect(requests).toEqual([])
    await kernels.list()
    await kernels.list()
    expect(summary(requests)).toEqual([...LOGIN, 'GET /api/kernels 200', 'GET /api/kernels 200'])
    const [page, post, ...later] = requests
    expect(page?.headers).not.toHaveProperty('cookie')
    expect(new URLSearchParams(post?.body).get('password')).toBe(PASSWORD)
    expect(new URLSearchParams(post?.body).get('_xsrf')).toMatch(/^2\|/)
    for (const { headers } of later) {
      expect(headers.cookie).toMatch(/username-127-0-0-1-\d+=/)
      expect(headers.cookie).toContain('_xsrf=2|')
    }
  })

  test('gets the cookies with every request, and the XSRF header with every write', async () => {
    verifies('NB-LOGIN-2', 'NB-LOGIN-4', 'NB-LOGIN-12')
    const { contents, requests } = open()
    await contents.create('first.ipynb', NOTEBOOK)
    await contents.checkpoint('first.ipynb')
    await contents.rename('first.ipynb', 'second.ipynb')
    expect((await contents.get('second.ipynb')).type).toBe('notebook')
    await contents.delete('second.ipynb')
    const used = requests.slice(LOGIN.length)
    expect(summary(used)).toEqual([
      'GET /api/contents/first.ipynb 404',
      'PUT /api/contents/first.ipynb 201',
      'POST /api/contents/first.ipynb/checkpoints 201',
      'PATCH /api/contents/first.ipynb 200',
      'GET /api/contents/second.ipynb 200',
      'DELETE /api/contents/second.ipynb 204',
    ])
    for (const { method, headers } of used) {
      expect(headers.cookie).toMatch(/username-/)
      expect(headers).not.toHaveProperty('authorization')
      const inJar = /_xsrf=([^;]+)/.exec(headers.cookie ?? '')?.[1]
      expect(headers['x-xsrftoken']).toBe(method === 'GET' ? undefined : inJar)
    }
  })

  test('opens WebSockets with the cookies', async () => {
    verifies('NB-LOGIN-3')
    const { server, kernels } = open()
    const { id } = await kernels.start()
    const path = ['api', 'kernels', id, 'channels']
    const socket = await server.openSocket(path, { query: { session_id: 'ours' } })
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
    const stranger = createJupyterServer({ url: jupyter.url }, { logger: createKeptLog().logger })
    await expect(stranger.openSocket(path, {})).rejects.toMatchObject({ code: 'refused' })
    await kernels.shutdown(id)
  })

  test('shares one login among requests that begin together', async () => {
    const { kernels, requests } = open()
    await Promise.all(Array.from({ length: 5 }, () => kernels.list()))
    expect(summary(requests)).toEqual([...LOGIN, ...Array.from({ length: 5 }, () => 'GET /api/kernels 200')])
  })

  test('lets one of those who wait for the login leave', async () => {
    const { kernels, requests } = open()
    const leaving = new AbortController()
    const left = kernels.list(leaving.signal)
    const stayed = kernels.list()
    leaving.abort(new Error('changed my mind'))
    await expect(left).rejects.toThrow('changed my mind')
    await expect(stayed).resolves.toEqual([])
    expect(summary(requests)).toEqual([...LOGIN, 'GET /api/kernels 200'])
  })
})

describe('a session that the server has forgotten', () => {
  const veterans: ReturnType<typeof open>[] = []
  beforeAll(async () => {
    veterans.push(open(), open())
    await Promise.all(veterans.map(({ kernels }) => kernels.list()))
    await jupyter.expireCookies()
    for (const { requests } of veterans) requests.length = 0
  })

  test('is replaced by one login, shared by all, and each request is made once more', async () => {
    verifies('NB-LOGIN-8')
    const { kernels, contents, requests } = veterans[0] ?? open()
    await Promise.all([kernels.list(), kernels.specs(), contents.save('again.ipynb', NOTEBOOK)])
    expect(summary(requests).toSorted()).toEqual(
      [
        ...LOGIN,
        'GET /api/kernels 403',
        'GET /api/kernels 200',
        'GET /api/kernelspecs 403',
        'GET /api/kernelspecs 200',
        'PUT /api/contents/again.ipynb 403',
        'PUT /api/contents/again.ipynb 201',
      ].toSorted(),
    )
  })

  test('is replaced by the handshake of a socket as well', async () => {
    const { server, requests } = veterans[1] ?? open()
    const other = open().kernels
    const { id } = await other.start()
    const socket = await server.openSocket(['api', 'kernels', id, 'channels'], {})
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
    await other.shutdown(id)
    expect(summary(requests)).toEqual(LOGIN)
  })
})

test('a wrong password is refused and said so, and neither shown nor logged', async () => {
  const { kernels, requests, log } = open({ password: 'wrong-password-123' })
  const failure = await kernels.list().catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(
      /login failed with status 401.*POST http.*\/login.*password may be incorrect/s,
    ),
  })
  expect(summary(requests)).toEqual(['GET /login 200', 'POST /login 401'])
  expect(`${String(failure)}${log.text()}`).not.toContain('wrong-password-123')
  await expect(checkServer(open({ password: 'wrong-password-123' }).server)).rejects.toMatchObject({
    code: 'refused',
  })
})

describe('a server with both a password and a token', () => {
  beforeAll(() => jupyter.restart({ token: 'server-token-0123456789', password: PASSWORD }))

  test('is entered with the password when both are configured, and a warning says so once', async () => {
    verifies('NB-LOGIN-5', 'NB-LOGIN-6', 'NB-LOGIN-7', 'NB-LOGIN-10')
    const { kernels, contents, requests, log } = open({ token: jupyter.token })
    await kernels.list()
    await contents.save('both.ipynb', NOTEBOOK)
    expect(summary(requests).slice(0, 3)).toEqual(LOGIN)
    expect(JSON.stringify(requests)).not.toContain(jupyter.token)
    expect(log.warnings()).toHaveLength(1)
    expect(log.warnings()[0]).toMatch(/password is used, the token is ignored/)
    expect(log.text()).not.toContain(jupyter.token)
  })

  test('does not fall back to the token when the password is wrong', async () => {
    const { kernels, requests } = open({ token: jupyter.token, password: 'wrong-password-123' })
    await expect(kernels.list()).rejects.toMatchObject({ code: 'refused' })
    expect(JSON.stringify(requests)).not.toContain(jupyter.token)
  })

  test('is entered with the password alone', async () => {
    const { kernels, log } = open()
    await kernels.list()
    expect(log.warnings()).toEqual([])
  })
})

test('a server under a prefix, with XSRF checks switched off, is logged into too', async () => {
  await jupyter.restart({ baseUrl: '/lab-1', extraArgs: ['--ServerApp.disable_check_xsrf=True'] })
  const { contents, requests } = open({ url: jupyter.url })
  await contents.save('prefixed.ipynb', NOTEBOOK)
  expect(summary(requests)).toEqual([
    'GET /lab-1/login 200',
    'POST /lab-1/login 302',
    'GET /lab-1/api/status 200',
    'PUT /lab-1/api/contents/prefixed.ipynb 201',
  ])
})
