import { request } from 'node:http'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createEmbedded } from './create-embedded.ts'
import { createScriptedKernels } from './fixtures/scripted-kernels.ts'
import {
  newFolder,
  type RunningEmbedded,
  removeFolder,
  startEmbedded,
  TOKEN,
} from './fixtures/start-embedded.ts'

let server: RunningEmbedded

beforeAll(async () => {
  server = await startEmbedded()
})

afterAll(async () => {
  await server.stop()
  await removeFolder(server.folder)
})

test('status', async () => {
  const status = await (await server.call('/api/status')).json()
  expect(status).toEqual({
    started: expect.stringMatching(/Z$/),
    last_activity: expect.stringMatching(/Z$/),
    connections: 0,
    kernels: 0,
  })
})

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io'])(
  'Host %s is refused',
  async (host) => {
    const status = await new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${TOKEN}` }
      request(`${server.url}/api/status`, { headers }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(421)
  },
)

test('a WebSocket of another Origin is refused', async () => {
  const address = `${server.url.replace('http', 'ws')}/api/collaboration/room/x?token=${TOKEN}`
  const socket = new WebSocket(address, { origin: 'https://evil.example' })
  const error = await new Promise<Error>((resolve) => socket.once('error', resolve))
  expect(error.message).toContain('403')
})

test('mounted under a prefix, without guards, nothing leaves the folder either; closing twice is closing once', async () => {
  const folder = newFolder()
  const logger = createLazyLogger({ level: 'silent', pretty: false })
  const kernels = createScriptedKernels()
  const embedded = createEmbedded({ folder, token: TOKEN, version: '1' }, { kernels, logger })
  const parent = new Hono().mount('/nb', embedded.app.fetch)
  const listening = await serve({ fetch: parent.fetch, host: '127.0.0.1', port: 0 })
  const headers = { authorization: `token ${TOKEN}` }
  const call = (path: string, method = 'GET') => fetch(`${listening.url}/nb${path}`, { method, headers })
  expect((await call('/api/contents/x.txt', 'PUT')).status).toBe(201)
  expect(await (await call('/api/contents/x.txt')).json()).toMatchObject({ path: 'x.txt', content: '' })
  expect([400, 404]).toContain((await call('/api/contents/..%2f..%2fetc%2fpasswd')).status)
  const { id } = (await (await call('/api/kernels', 'POST')).json()) as { id: string }
  const socket = new WebSocket(
    `${listening.url.replace('http', 'ws')}/nb/api/kernels/${id}/channels?token=${TOKEN}`,
  )
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await shutDown(listening, [embedded], 1_000)
  expect(await closed).toBe(1001)
  await embedded.close()
  expect(kernels.open.size).toBe(0)
  await removeFolder(folder)
})
