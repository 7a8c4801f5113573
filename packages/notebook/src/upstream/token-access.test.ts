import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContents } from './contents.ts'
import { createKernels } from './kernels.ts'
import { createKeptLog, createRecordingFetch } from './peer.fixture.ts'
import { createJupyterServer, type ServerTarget } from './server.ts'
import { checkServer } from './status.ts'

const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }
const WRONG_TOKEN = 'wrong-token-0123456789'

let jupyter: Jupyter
beforeAll(async () => {
  jupyter = await startJupyter()
})
afterAll(() => jupyter?.stop())

function open(target: Partial<ServerTarget> = {}) {
  const { fetch, requests } = createRecordingFetch()
  const log = createKeptLog()
  const server = createJupyterServer(
    { url: jupyter.url, token: jupyter.token, ...target },
    { logger: log.logger, fetch },
  )
  return { server, requests, log }
}

const schemes = (requests: readonly { headers: Readonly<Record<string, string>> }[]) =>
  requests.map(({ headers }) => headers.authorization?.split(' ')[0] ?? '')

describe('a server that knows only the scheme "token"', () => {
  test('is understood after one refusal, which is not repeated', async () => {
    const { server, requests } = open()
    await createKernels(server).list()
    await createKernels(server).list()
    await createContents(server).list('')
    expect(schemes(requests)).toEqual(['Bearer', 'token', 'token', 'token'])
    expect(requests.map(({ status }) => status)).toEqual([403, 200, 200, 200])
  })

  test('is understood once by requests that begin together', async () => {
    const { server, requests } = open()
    await Promise.all(Array.from({ length: 5 }, () => createKernels(server).list()))
    expect(schemes(requests)).toEqual(['Bearer', ...Array.from({ length: 6 - 1 }, () => 'token')])
  })

  test('opens its sockets with the scheme that was found, whoever found it', async () => {
    const first = open()
    const kernels = createKernels(first.server)
    const { id } = await kernels.start()
    const second = open()
    for (const { server } of [first, second]) {
      const socket = await server.openSocket(['api', 'kernels', id, 'channels'], {})
      expect(socket.readyState).toBe(socket.OPEN)
      socket.terminate()
    }
    await createKernels(second.server).shutdown(id)
    expect(schemes(second.requests)).toEqual(['token'])
  })

  test('is checked without mistaking its open greeting for an accepted token', async () => {
    const { server, requests } = open()
    expect(await checkServer(server)).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) })
    expect(schemes(requests)).toEqual(['Bearer', 'Bearer', 'token'])
  })
})

describe('a server that knows "Bearer"', () => {
  const veteran = { found: [''] }
  beforeAll(async () => {
    const { server, requests } = open()
    await createKernels(server).list()
    await jupyter.restart({ acceptBearer: true })
    await createKernels(server).list()
    veteran.found = schemes(requests)
  })

  test('goes on hearing the scheme that was found before', () => {
    expect(veteran.found).toEqual(['Bearer', 'token', 'token'])
  })

  test('gets it with every request', async () => {
    verifies('NB-TOKEN-1')
    const { server, requests } = open()
    await checkServer(server)
    await createContents(server).save('bearer.ipynb', NOTEBOOK)
    expect(requests).toHaveLength(3)
    for (const { headers, url } of requests) {
      expect(url).toContain('/api')
      expect(headers.authorization).toBe(`Bearer ${jupyter.token}`)
    }
  })

  test('has its notebooks read and written', async () => {
    verifies('NB-TOKEN-3', 'NB-UP-2')
    const contents = createContents(open().server)
    await contents.save('written.ipynb', { ...NOTEBOOK, metadata: { mark: 7 } })
    expect(await contents.get('written.ipynb')).toMatchObject({ content: { metadata: { mark: 7 } } })
    const stranger = createContents(open({ token: WRONG_TOKEN }).server)
    await expect(stranger.get('written.ipynb')).rejects.toMatchObject({ code: 'refused' })
    await expect(stranger.save('written.ipynb', NOTEBOOK)).rejects.toMatchObject({ code: 'refused' })
  })

  test('gets neither cookies nor an XSRF header', async () => {
    verifies('NB-TOKEN-4')
    const { server, requests } = open()
    const contents = createContents(server)
    await contents.save('plain.ipynb', NOTEBOOK)
    await contents.rename('plain.ipynb', 'renamed.ipynb')
    await contents.checkpoint('renamed.ipynb')
    await contents.delete('renamed.ipynb')
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'PATCH', 'POST', 'DELETE'])
    for (const { headers } of requests) {
      expect(headers).not.toHaveProperty('cookie')
      expect(headers).not.toHaveProperty('x-xsrftoken')
    }
  })

  test('gets no token in a URL', async () => {
    const { server, requests, log } = open()
    await checkServer(server)
    await createContents(server).list('')
    expect(requests.map(({ url }) => url).join()).not.toContain(jupyter.token)
    expect(log.text()).not.toContain(jupyter.token)
  })
})

test('a wrong token is refused in both schemes and said so, by whatever comes first', async () => {
  const { server, requests, log } = open({ token: WRONG_TOKEN })
  const refused = {
    code: 'refused',
    message: expect.stringMatching(
      /GET http.*\/api\/kernels answered 403.*token was not accepted.*access:servers/s,
    ),
  }
  await expect(createKernels(server).list()).rejects.toMatchObject(refused)
  expect(schemes(requests)).toEqual(['Bearer', 'token'])
  const all = await Promise.allSettled(Array.from({ length: 3 }, () => createKernels(server).list()))
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(requests).toHaveLength(8)
  await expect(checkServer(server)).rejects.toMatchObject({ code: 'refused' })
  expect(JSON.stringify(all.map((result) => String((result as PromiseRejectedResult).reason)))).not.toContain(
    WRONG_TOKEN,
  )
  expect(log.text()).not.toContain(WRONG_TOKEN)
})

test.each(['two words', 'line\nbreak', 'ümlaut', 'tab\t', '\0'])(
  'the token %j is refused before it is sent',
  (token) => {
    const attempt = () => open({ token })
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    expect(attempt).not.toThrow(token)
  },
)

test('a server with a prefix is reached with and without a slash at the end', async () => {
  const prefixed = await startJupyter({ baseUrl: '/user/ada' })
  try {
    for (const url of [prefixed.url, `${prefixed.url}/`]) {
      const { server } = open({ url, token: prefixed.token })
      expect(server.url).toBe(prefixed.url)
      await checkServer(server)
      const { path } = await createContents(server).save('über uns #1?.ipynb', NOTEBOOK)
      expect(path).toBe('über uns #1?.ipynb')
      expect((await createContents(server).get(path)).path).toBe(path)
    }
    const above = open({ url: new URL(prefixed.url).origin, token: prefixed.token })
    await expect(checkServer(above.server)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/does not look like a Jupyter server.*prefix/),
    })
  } finally {
    await prefixed.stop()
  }
})
