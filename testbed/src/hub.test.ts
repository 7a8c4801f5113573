import { afterAll, expect, test } from 'vitest'
import { startHub } from './hub.ts'
import { findProcesses } from './owned-folder.ts'

const hub = await startHub()
afterAll(() => hub.stop())

const get = (url: string, token: string) =>
  fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })

test('a user’s server answers to tokens that may access it, and to no other', async () => {
  const [alice] = await Promise.all([hub.createUser('alice'), hub.createUser('bob', { start: false })])
  const contents = `${alice.url}/api/contents`
  expect((await get(contents, await hub.token('alice', ['access:servers!user=alice']))).status).toBe(200)
  expect((await get(contents, await hub.token('alice', ['read:users!user=alice']))).status).toBe(403)
  expect((await get(contents, await hub.token('bob', ['access:servers!user=bob']))).status).toBe(403)
  await expect(hub.token('alice', ['admin:users'])).rejects.toThrow('answered 400')
})

test('where no server runs there is a way to the hub, until it was started', async () => {
  const carol = await hub.createUser('carol', { start: false })
  const token = await hub.token('carol', ['access:servers!user=carol'])
  const contents = `${carol.url}/api/contents`
  expect((await get(contents, token)).status).toBe(302)
  await hub.startServer('carol')
  expect((await get(contents, token)).status).toBe(200)
  await hub.stopServer('carol')
  expect((await get(contents, token)).status).toBe(302)
})

test('nothing is left of a hub that was stopped: neither its proxy nor a server nor a kernel', async () => {
  const dora = await hub.createUser('dora')
  const headers = { authorization: `token ${await hub.token('dora', ['access:servers!user=dora'])}` }
  expect((await fetch(`${dora.url}/api/kernels`, { method: 'POST', headers })).status).toBe(201)
  // The hub, its proxy, the servers of two users, a kernel.
  expect((await findProcesses(hub.folder)).length).toBeGreaterThanOrEqual(5)
  await Promise.all([hub.stop(), hub.stop()])
  expect(await findProcesses(hub.folder)).toStrictEqual([])
  await expect(fetch(hub.url)).rejects.toThrow()
})
