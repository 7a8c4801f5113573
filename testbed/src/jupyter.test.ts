import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Jupyter, startJupyter } from './jupyter.ts'
import { findProcesses } from './owned-folder.ts'
import { startProcess } from './process.ts'

const fixture = new URL('./jupyter.fixture.ts', import.meta.url).pathname
const server = await startJupyter({ password: 'a password' })
afterAll(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}, { url }: Jupyter = server) =>
  fetch(`${url}${path}`, { headers, redirect: 'manual' })
const asToken = ({ token }: Jupyter = server) => ({ authorization: `token ${token}` })

async function logIn(password: string): Promise<{ status: number; cookie: string }> {
  const page = await get('/login')
  const xsrf = /_xsrf=([^;]+)/.exec(page.headers.get('set-cookie') ?? '')?.[1] ?? ''
  const body = new URLSearchParams({ password, _xsrf: xsrf })
  const headers = { cookie: `_xsrf=${xsrf}` }
  const answer = await fetch(`${server.url}/login`, { method: 'POST', headers, body, redirect: 'manual' })
  return { status: answer.status, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

async function startKernel(jupyter: Jupyter): Promise<void> {
  const answer = await fetch(`${jupyter.url}/api/kernels`, { method: 'POST', headers: asToken(jupyter) })
  expect(answer.status).toBe(201)
}

test('serves its folder to the token, in the scheme of its own alone', async () => {
  await writeFile(join(server.root, 'hello.txt'), 'hello')
  expect(await (await get('/api/contents/hello.txt', asToken())).json()).toMatchObject({ content: 'hello' })
  expect((await get('/api/contents')).status).toBe(403)
  expect((await get('/api/contents', { authorization: `Bearer ${server.token}` })).status).toBe(403)
})

test('a login is worth nothing once cookies have expired; password, token and files stay', async () => {
  expect((await logIn('another password')).status).toBe(401)
  const { status, cookie } = await logIn(server.password)
  expect(status).toBe(302)
  expect((await get('/api/contents', { cookie })).status).toBe(200)
  await writeFile(join(server.root, 'kept.txt'), 'kept')
  const { url, token } = server
  await server.expireCookies()
  expect({ url: server.url, token: server.token }).toStrictEqual({ url, token })
  expect((await get('/api/contents', { cookie })).status).toBe(403)
  expect((await get('/api/contents/kept.txt', asToken())).status).toBe(200)
  expect((await logIn(server.password)).status).toBe(302)
})

test('a restart ends the kernels and takes new options: password alone, a prefix, the Bearer scheme, open', async () => {
  const jupyter = await startJupyter()
  onTestFinished(() => jupyter.stop())
  await startKernel(jupyter)
  const folder = dirname(jupyter.root)
  const before = await findProcesses(folder)
  expect(before.length).toBeGreaterThanOrEqual(2)

  await jupyter.restart({ token: '', password: 'alone' })
  const after = await findProcesses(folder)
  expect(after.filter((pid) => before.includes(pid))).toStrictEqual([])
  expect((await get('/api/contents', { authorization: 'token ' }, jupyter)).status).toBe(403)
  expect((await get('/login', {}, jupyter)).status).toBe(200)

  await jupyter.restart({ token: 'new', baseUrl: 'deep/prefix/', acceptBearer: true })
  expect(new URL(jupyter.url).pathname).toBe('/deep/prefix')
  expect((await get('/api/contents', { authorization: 'Bearer new' }, jupyter)).status).toBe(200)
  expect((await get('/api/contents', { authorization: 'Bearer old' }, jupyter)).status).toBe(403)
  expect((await fetch(`http://127.0.0.1:${jupyter.port}/api`)).status).toBe(404)

  await jupyter.restart({ token: '', password: '', baseUrl: '/' })
  expect(jupyter.url).toBe(`http://127.0.0.1:${jupyter.port}`)
  expect((await get('/api/contents', {}, jupyter)).status).toBe(200)
})

test('nothing is left of a server that was stopped, not even its kernels', async () => {
  const jupyter = await startJupyter()
  onTestFinished(() => jupyter.stop())
  await startKernel(jupyter)
  const folder = dirname(jupyter.root)
  await Promise.all([jupyter.stop(), jupyter.stop()])
  expect(await findProcesses(folder)).toStrictEqual([])
  expect(existsSync(folder)).toBe(false)
  await expect(fetch(`${jupyter.url}/api`)).rejects.toThrow()
  await expect(jupyter.restart()).rejects.toThrow('was stopped')
})

test('a server that does not come up says why, in its own words', async () => {
  await expect(startJupyter({ extraArgs: ['--nonsense'] })).rejects.toThrow(
    /did not start: it ended with code 2\.[\s\S]*argument --nonsense/,
  )
})

test('server and kernels end with the run that was killed, and the next run removes the files', async () => {
  const run = startProcess(process.execPath, [fixture])
  onTestFinished(() => void run.child.kill('SIGKILL'))
  const folder = dirname((await run.waitFor(/(.+)\n/))[1] ?? '')
  expect((await findProcesses(folder)).length).toBeGreaterThanOrEqual(2)
  await run.stop('SIGKILL')
  await vi.waitFor(async () => expect(await findProcesses(folder)).toStrictEqual([]), { timeout: 30_000 })
  await (await startJupyter()).stop()
  expect(existsSync(folder)).toBe(false)
})
