import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContents } from './contents.ts'
import { createKernels } from './kernels.ts'
import { createKeptLog, createRecordingFetch, type Recorded, startPeer } from './peer.fixture.ts'
import { createJupyterServer } from './server.ts'
import { checkServer } from './status.ts'

const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }

let jupyter: Jupyter
beforeAll(async () => {
  jupyter = await startJupyter({ token: '', baseUrl: '/open' })
})
afterAll(() => jupyter?.stop())

function open(url = jupyter.url) {
  const { fetch, requests } = createRecordingFetch()
  const log = createKeptLog()
  const server = createJupyterServer({ url, token: '', password: '' }, { logger: log.logger, fetch })
  return { server, requests, log, kernels: createKernels(server), contents: createContents(server) }
}

const summary = (requests: readonly Recorded[]) =>
  requests.map(({ method, url, status }) => `${method} ${new URL(url).pathname} ${status}`)

test('a server without any authentication is read as it is, and written with a cookie fetched before', async () => {
  const { server, contents, requests } = open()
  await checkServer(server)
  expect(JSON.stringify(requests)).not.toContain('cookie')
  await contents.save('a.ipynb', NOTEBOOK)
  await contents.save('b.ipynb', NOTEBOOK)
  await contents.delete('a.ipynb')
  expect(summary(requests)).toEqual([
    'GET /open/api 200',
    'GET /open/api/status 200',
    'GET /open/ 200',
    'PUT /open/api/contents/a.ipynb 201',
    'PUT /open/api/contents/b.ipynb 201',
    'DELETE /open/api/contents/a.ipynb 204',
  ])
  for (const { headers } of requests) expect(headers).not.toHaveProperty('authorization')
})

test('first writes that begin together share the cookie', async () => {
  const { contents, requests } = open()
  await Promise.all(['1', '2', '3'].map((name) => contents.save(`${name}.ipynb`, NOTEBOOK)))
  expect(summary(requests).filter((line) => line === 'GET /open/ 200')).toHaveLength(1)
  expect(requests).toHaveLength(4)
})

test('kernels are started and their sockets opened', async () => {
  const { server, kernels } = open()
  const { id } = await kernels.start()
  const socket = await server.openSocket(['api', 'kernels', id, 'channels'], {})
  expect(socket.readyState).toBe(socket.OPEN)
  socket.terminate()
  await kernels.shutdown(id)
})

test('a password for a server that has none is refused, and said so', async () => {
  const server = createJupyterServer(
    { url: jupyter.url, password: 'secret' },
    { logger: createKeptLog().logger },
  )
  await expect(checkServer(server)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/login failed with status 403.*Check that this server has a password/),
  })
})

test('a server that checks no XSRF is used without credentials', async () => {
  verifies('NB-LOGIN-13')
  await jupyter.restart({ extraArgs: ['--ServerApp.disable_check_xsrf=True'] })
  const { contents, requests } = open()
  await contents.save('unchecked.ipynb', NOTEBOOK)
  expect((await contents.get('unchecked.ipynb')).type).toBe('notebook')
  for (const { headers } of requests) expect(headers).not.toHaveProperty('authorization')
})

test('a server that has no page to set a cookie is written all the same, and the failure only logged', async () => {
  const peer = await startPeer((request, response) => {
    if (request.url === '/') request.socket.destroy()
    else response.writeHead(204).end()
  })
  try {
    const { contents, log } = open(peer.url)
    await contents.delete('x.ipynb')
    await contents.delete('y.ipynb')
    expect(log.warnings()).toHaveLength(1)
    expect(peer.requests.map(({ url }) => url)).toEqual([
      '/',
      '/api/contents/x.ipynb',
      '/api/contents/y.ipynb',
    ])
  } finally {
    await peer.close()
  }
})

test('a write that is refused for its cookie is made once more with a new one, and no third time', async () => {
  let cookies = 0
  const peer = await startPeer((request, response) => {
    if (request.url === '/') {
      cookies += 1
      response.writeHead(200, { 'set-cookie': `_xsrf=${cookies}; Path=/` }).end('<html>')
      return
    }
    const isLucky = request.url?.endsWith('/lucky') && request.headers['x-xsrftoken'] === '2'
    response.writeHead(isLucky ? 204 : 403).end('{"message": "XSRF cookie does not match POST argument"}')
  })
  try {
    const { contents } = open(peer.url)
    await contents.delete('lucky')
    expect(peer.requests.map(({ headers }) => headers['x-xsrftoken'])).toEqual([
      undefined,
      '1',
      undefined,
      '2',
    ])
    peer.requests.length = 0
    await expect(contents.delete('unlucky')).rejects.toMatchObject({ code: 'refused' })
    expect(peer.requests.map(({ headers }) => headers['x-xsrftoken'])).toEqual(['2', undefined, '3'])
  } finally {
    await peer.close()
  }
})

test('a server that wants credentials is asked once, and the answer says what is missing', async () => {
  await jupyter.restart({ token: 'a-token-that-is-kept-0123', extraArgs: [] })
  const { kernels, requests } = open()
  await expect(kernels.list()).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(
      /GET http.*answered 403.*none are configured.*NOTEBOOK_TOKEN.*NOTEBOOK_PASSWORD/,
    ),
  })
  expect(requests).toHaveLength(1)
})
