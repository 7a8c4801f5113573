import { verifies } from '@quire/spec/verifies'
import { type Hub, startHub } from '@quire/testbed/hub'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolClient } from '../fixtures/tool-client.ts'
import { createContents } from './contents.ts'
import { createKernels } from './kernels.ts'
import { createKeptLog, createRecordingFetch } from './peer.fixture.ts'
import { createJupyterServer, type ServerTarget } from './server.ts'
import { checkServer } from './status.ts'

const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }

let hub: Hub
let url: string
let token: string
beforeAll(async () => {
  hub = await startHub()
  const user = await hub.createUser('ada')
  url = user.url
  token = await hub.token('ada', ['access:servers!user=ada'])
})
afterAll(() => hub?.stop())

function open(target: Partial<ServerTarget> = {}) {
  const { fetch, requests } = createRecordingFetch()
  const server = createJupyterServer({ url, token, ...target }, { logger: createKeptLog().logger, fetch })
  return { server, requests }
}

test('a token with the scope access:servers and no other is enough for files, kernels and their sockets', async () => {
  verifies('NB-HUB-2', 'NB-HUB-5')
  const { server, requests } = open({ url: `${url}/` })
  await checkServer(server)
  await createContents(server).save('hub.ipynb', NOTEBOOK)
  const kernels = createKernels(server)
  const { id } = await kernels.start()
  const socket = await server.openSocket(['api', 'kernels', id, 'channels'], {})
  expect(socket.readyState).toBe(socket.OPEN)
  expect(socket.url).not.toContain(token)
  socket.terminate()
  await kernels.shutdown(id)
  for (const { url: asked, headers } of requests) {
    expect(asked).not.toContain(token)
    expect(headers.authorization).toBe(`Bearer ${token}`)
    expect(headers).not.toHaveProperty('cookie')
  }
})

test('a token without that scope, or of nobody, is an authentication failure', async () => {
  verifies('NB-HUB-3')
  const refused = {
    code: 'refused',
    message: expect.stringMatching(/answered 403.*token was not accepted.*scope access:servers/),
  }
  for (const bad of [await hub.token('ada', ['read:users!user=ada']), 'no-such-token-0123456789']) {
    const { server } = open({ token: bad })
    await expect(checkServer(server)).rejects.toMatchObject(refused)
    await expect(createContents(server).save('x.ipynb', NOTEBOOK)).rejects.toMatchObject({ code: 'refused' })
    await expect(server.openSocket(['api', 'kernels', 'x-x-x-x-x', 'channels'], {})).rejects.toMatchObject({
      code: 'refused',
    })
  }
})

test('no credentials, or a password, is an authentication failure', async () => {
  await expect(checkServer(open({ token: '' }).server)).rejects.toMatchObject({ code: 'refused' })
  await expect(checkServer(open({ token: '', password: 'hub-pass' }).server)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/password may be incorrect.*API token that has the scope access:servers/),
  })
})

test('a server that was stopped is said not to run, and how to start it', async () => {
  await hub.stopServer('ada')
  const { server } = open()
  const stopped = {
    code: 'unreachable',
    message: expect.stringContaining(`POST ${hub.url}/hub/api/users/ada/server`),
  }
  await expect(checkServer(server)).rejects.toMatchObject(stopped)
  await expect(createContents(server).save('x.ipynb', NOTEBOOK)).rejects.toMatchObject(stopped)
  await expect(server.openSocket(['api', 'kernels', 'x', 'channels'], {})).rejects.toMatchObject(stopped)
  await expect(checkServer(open({ token: '', password: 'x' }).server)).rejects.toMatchObject(stopped)
})

test('the tools work on the server of a user', async () => {
  verifies('NB-HUB-1', 'NB-HUB-2')
  await hub.startServer('ada')
  const tools = await startToolClient({ jupyter: { url, token } })
  try {
    const used = await tools.call('use_notebook', {
      notebook_name: 'hub',
      notebook_path: 'tools.ipynb',
      mode: 'create',
    })
    expect(used.text).toContain("Successfully activate notebook 'hub'")
    const ran = await tools.call('insert_execute_code_cell', { cell_index: -1, cell_source: 'print(6 * 7)' })
    expect(ran.text).toContain('42')
    expect((await tools.call('read_cell', { cell_index: 0 })).text).toContain('42')
  } finally {
    await tools.close()
  }
})
