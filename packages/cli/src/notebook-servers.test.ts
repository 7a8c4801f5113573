import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { startProcess } from '@quire/testbed/process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type Environment,
  LAUNCHER,
  openSession,
  serverArguments,
  startStdio,
  textOf,
  whenServing,
} from './notebook.fixture.ts'

const TOKEN = 'a-token-of-my-own-0123456789'

/** Opened by its token. */
let tokens: Jupyter
/** Opened by its password; of its token only the tests know. */
let passwords: Jupyter
/** A kernel on each, by which it is known again. */
let kernelOfTokens: string
let kernelOfPasswords: string
/** Writes down what it is sent, and refuses everything. */
let recorder: Server
let recorded: string[] = []
let recorderUrl: string

beforeAll(async () => {
  ;[tokens, passwords] = await Promise.all([startJupyter(), startJupyter({ password: 'open-sesame-1' })])
  ;[kernelOfTokens, kernelOfPasswords] = await Promise.all([startKernel(tokens), startKernel(passwords)])
  await writeFile(join(tokens.root, 'kept-by-token.txt'), '')
  await writeFile(join(passwords.root, 'kept-by-password.txt'), '')
  const write = ({ method, url, rawHeaders }: IncomingMessage) =>
    recorded.push(`${method} ${url} ${rawHeaders.join(' ')}`)
  recorder = createServer((request, response) => {
    write(request)
    response.writeHead(403).end()
  })
  recorder.on('upgrade', (request, socket) => {
    write(request)
    socket.destroy()
  })
  recorder.listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  recorderUrl = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`
})
afterAll(async () => {
  recorder?.close()
  await Promise.all([tokens?.stop(), passwords?.stop()])
})

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A client over stdio, which calls tools and reads what they say. */
async function open(args: string[], env: Environment) {
  const client = await startStdio(args, env)
  cleanups.push(() => client.end('SIGKILL'))
  return {
    ...client,
    call: async (name: string, given: object = {}) =>
      textOf((await client.request('tools/call', { name, arguments: given })).result),
  }
}

/** Where documents are and where code runs. */
async function look(args: string[], env: Environment): Promise<{ files: string; kernels: string }> {
  const { call, end } = await open(args, env)
  const [files, kernels] = await Promise.all([call('list_files'), call('list_kernels')])
  expect(await end()).toBe(0)
  return { files, kernels }
}

const filesOf = (server: 'token' | 'password') => expect.stringContaining(`kept-by-${server}.txt`)

async function kernelsOf({ url, token }: Jupyter, method = 'GET'): Promise<unknown> {
  const headers = { authorization: `token ${token}` }
  return (await fetch(`${url}/api/kernels`, { method, headers })).json()
}

async function startKernel(server: Jupyter): Promise<string> {
  return ((await kernelsOf(server, 'POST')) as { id: string }).id
}

describe('one server for documents and code', () => {
  test('by its token, from the environment', async () => {
    verifies('NB-ENV-1', 'NB-ENV-2', 'NB-MODE-2', 'NB-MODE-7')
    expect(await look([], { NOTEBOOK_URL: `${tokens.url}/`, NOTEBOOK_TOKEN: tokens.token })).toEqual({
      files: filesOf('token'),
      kernels: expect.stringContaining(kernelOfTokens),
    })
  })

  test('by its password, from the names of the reference', async () => {
    verifies('NB-ENV-1', 'NB-ENV-3', 'NB-ENV-13', 'NB-FLAG-20')
    const args = ['--jupyter-url', passwords.url]
    expect(await look(args, { JUPYTER_PASSWORD: passwords.password })).toEqual({
      files: filesOf('password'),
      kernels: expect.stringContaining(kernelOfPasswords),
    })
  })

  test('without credentials it is refused, and says so', async () => {
    verifies('NB-ENV-2')
    const { call } = await open([], { NOTEBOOK_URL: tokens.url })
    const files = await call('list_files')
    expect(files).not.toContain('kept-by-token')
    expect(files).toMatch(/403|refuse/i)
  })
})

describe('two servers', () => {
  test('each with its own credentials, from the environment', async () => {
    verifies('NB-MODE-8', 'NB-ENV-4', 'NB-ENV-5', 'NB-ENV-7', 'NB-ENV-9', 'NB-ENV-12')
    const env = {
      DOCUMENT_URL: tokens.url,
      DOCUMENT_TOKEN: tokens.token,
      CODE_SANDBOX_URL: passwords.url,
      CODE_SANDBOX_PASSWORD: passwords.password,
    }
    expect(await look([], env)).toEqual({
      files: filesOf('token'),
      kernels: expect.stringContaining(kernelOfPasswords),
    })
  })

  test('the other way round, from flags', async () => {
    verifies('NB-MODE-8', 'NB-ENV-6', 'NB-ENV-8', 'NB-FLAG-10', 'NB-FLAG-11', 'NB-FLAG-20')
    const args = [
      ...['--document-url', passwords.url, '--code-sandbox-url', tokens.url],
      ...['--code-sandbox-token', tokens.token],
    ]
    expect(await look(args, { DOCUMENT_PASSWORD: passwords.password })).toEqual({
      files: filesOf('password'),
      kernels: expect.stringContaining(kernelOfTokens),
    })
  })

  test('credentials of the one do not reach the other', async () => {
    verifies('NB-ENV-12', 'NB-CRED-2')
    recorded = []
    const env = { NOTEBOOK_URL: tokens.url, NOTEBOOK_TOKEN: tokens.token, DOCUMENT_URL: recorderUrl }
    const { call } = await open([], env)
    await call('list_files')
    expect(recorded.length).toBeGreaterThan(0)
    expect(recorded.join('\n')).not.toContain(tokens.token)
  })
})

describe('what tools may do', () => {
  const server = () => ({ NOTEBOOK_URL: tokens.url, NOTEBOOK_TOKEN: tokens.token })
  const PLOT = `
from IPython.display import display
display({'image/png': 'iVBORw0KGgo=', 'text/plain': 'a plot'}, raw=True)`

  test('is bounded by flags', async () => {
    verifies('NB-FLAG-12', 'NB-FLAG-13', 'NB-FLAG-14', 'NB-FLAG-15', 'NB-FLAG-16', 'NB-FLAG-18')
    await mkdir(join(tokens.root, 'fenced'))
    const notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }
    await writeFile(join(tokens.root, 'fenced', 'open.ipynb'), JSON.stringify(notebook))
    const { call, request } = await open(
      [
        ...['--document-id', 'fenced/open.ipynb', '--allowed-path', 'fenced'],
        ...[
          '--execution-timeout',
          '1',
          '--max-execution-timeout',
          '2',
          '--max-output-bytes',
          '1024',
          '--no-images',
        ],
      ],
      server(),
    )
    expect(await call('list_notebooks')).toMatch(/^default\tfenced\/open\.ipynb/m)
    expect(await call('list_files', { path: '' })).not.toContain('kept-by-token')
    const outside = { notebook_name: 'x', notebook_path: 'outside.ipynb', mode: 'create' }
    expect(await call('use_notebook', outside)).toMatch(/allowed|fence|outside/i)

    const long = await call('execute_code', { code: `print('x' * 100_000)` })
    expect(long.length).toBeGreaterThan(100)
    expect(Buffer.byteLength(long)).toBeLessThan(3000)
    const plot = await request('tools/call', { name: 'execute_code', arguments: { code: PLOT } })
    expect(JSON.stringify(plot)).toContain('a plot')
    expect(JSON.stringify(plot)).not.toMatch(/iVBORw0KGgo|"type":"image","data"/)

    const sleep = 'import time; time.sleep(30)'
    expect(await call('execute_code', { code: sleep, timeout: 0 })).toMatch(/TIMEOUT.* 1 second/)
    expect(await call('execute_code', { code: sleep, timeout: 900 })).toMatch(/TIMEOUT.* 2 seconds/)
  })

  test('is only reading with --read-only', async () => {
    verifies('NB-FLAG-17')
    const { request } = await open(['--read-only'], server())
    const { result } = await request('tools/list')
    const { tools } = result as { tools: { name: string; annotations: { readOnlyHint: boolean } }[] }
    expect(tools.map(({ name }) => name)).toContain('read_notebook')
    for (const name of ['insert_cell', 'delete_file', 'execute_code', 'execute_cell', 'restart_notebook'])
      expect(tools.map((tool) => tool.name)).not.toContain(name)
    const { error } = await request('tools/call', { name: 'execute_code', arguments: { code: '1' } })
    expect(error).toBeDefined()
  })
})

describe('a running server', () => {
  async function start(env: Environment) {
    const options = { env: { MCP_TOKEN: TOKEN, ...env } }
    const server = await whenServing(startProcess(process.execPath, serverArguments([]), options))
    cleanups.push(() => server.stop('SIGKILL'))
    return server
  }
  async function run(args: string[], env: Environment = {}) {
    const options = { env: { MCP_TOKEN: TOKEN, ...env } }
    const one = startProcess(process.execPath, [LAUNCHER, 'notebook', ...args], options)
    cleanups.push(() => one.stop('SIGKILL'))
    return { code: await one.exited, ...one.output }
  }
  const kernels = async () => ((await kernelsOf(tokens)) as { id: string }[]).map(({ id }) => id)

  test('is pointed elsewhere by connect, and stays where it is when that fails', async () => {
    verifies('NB-MGMT-8', 'NB-MGMT-10', 'NB-MGMT-11', 'NB-CRED-3')
    const { url } = await start({ NOTEBOOK_URL: tokens.url, NOTEBOOK_TOKEN: tokens.token })
    const client = await openSession(url, TOKEN)
    expect(await client.call('list_files')).toContain('kept-by-token')

    // The very server it is on, whose token it has: none of it counts for a new connection.
    const bare = await run(['connect', '--server-url', url, '--code-sandbox-url', tokens.url])
    expect(bare.code).toBe(1)
    expect(bare.stderr).toMatch(/status 502/)
    expect(await client.call('list_files')).toContain('kept-by-token')

    const env = { CODE_SANDBOX_PASSWORD: passwords.password }
    const moved = await run(['connect', '--server-url', url, '--code-sandbox-url', passwords.url], env)
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining(`It works on ${passwords.url}.`) })
    expect(await client.call('list_files')).toContain('kept-by-password')
  })

  test('lets everything go at stop, and goes on', async () => {
    verifies('NB-MGMT-12', 'NB-MGMT-13', 'NB-MGMT-14', 'NB-MGMT-15', 'NB-MGMT-16')
    const { url, stop } = await start({ NOTEBOOK_URL: tokens.url, NOTEBOOK_TOKEN: tokens.token })
    const client = await openSession(url, TOKEN)
    const before = await kernels()
    await client.call('use_notebook', { notebook_name: 'work', notebook_path: 'work.ipynb', mode: 'create' })
    expect(await client.call('execute_code', { code: 'print(6 * 7)' })).toContain('42')
    expect(await client.call('list_notebooks')).toContain('work.ipynb')
    expect(await kernels()).toHaveLength(before.length + 1)
    const health = async () => (await (await fetch(`${url}/api/healthz`)).json()) as object
    expect(await health()).toMatchObject({ kernel_status: 'alive' })

    for (const _ of [1, 2]) {
      expect(await run(['stop', '--server-url', url])).toMatchObject({ code: 0 })
      expect(await kernels()).toEqual(before)
      expect(await client.call('list_notebooks')).not.toContain('work.ipynb')
      expect(await health()).toMatchObject({ success: true, kernel_status: 'not_initialized' })
    }
    await client.call('execute_code', { code: '1' })
    expect(await kernels()).toHaveLength(before.length + 1)
    expect(await stop('SIGTERM')).toBe(0)
    expect(await kernels(), 'at its own end too').toEqual(before)
  })

  test('never shows the token of its clients to a notebook server', async () => {
    verifies('NB-AUTH-9', 'NB-ENV-11')
    for (const env of [
      {},
      { NOTEBOOK_TOKEN: 'upstream-token-1' },
      { NOTEBOOK_PASSWORD: 'upstream-password-1' },
    ]) {
      recorded = []
      const { url } = await start({ NOTEBOOK_URL: recorderUrl, ...env })
      const client = await openSession(url, TOKEN)
      await client.call('list_files')
      await client.call('use_notebook', { notebook_name: 'x', notebook_path: 'x.ipynb' })
      await client.call('execute_code', { code: '1', kernel_id: 'k' })
      expect(recorded.length).toBeGreaterThan(0)
      expect(recorded.join('\n')).not.toContain(TOKEN)
    }
  })
})
