import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectToPort, type Mode, TOKEN } from './notebook-clients.fixture.ts'
import { type ExtendedJupyter, logIn, startExtended } from './notebook-extension.fixture.ts'

const PASSWORD = 'open-sesame-1'
const ROUTES = [
  ['GET', '/mcp'],
  ['POST', '/mcp'],
  ['DELETE', '/mcp'],
  ['GET', '/mcp/healthz'],
  ['GET', '/mcp/tools/list'],
  ['POST', '/mcp/tools/call'],
] as const
const bearer = { authorization: `Bearer ${TOKEN}` }

let jupyter: ExtendedJupyter
beforeAll(async () => {
  jupyter = await startExtended({ token: TOKEN, password: PASSWORD, baseUrl: '/lab-1' })
  await jupyter.whenHealthy(bearer)
})
afterAll(() => jupyter?.stop())

const ask = (path: string, init: RequestInit = {}) => fetch(`${jupyter.url}${path}`, init)

test('nobody gets in whom the notebook server does not let in', async () => {
  verifies('NB-EXT-9', 'NB-EXT-10')
  const { cookie, xsrf } = await logIn(jupyter.url, PASSWORD)
  for (const [method, path] of ROUTES) {
    const body = method === 'POST' ? JSON.stringify({ tool_name: 'list_files' }) : null
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'token wrong' },
      { authorization: `Basic ${TOKEN}` },
      { authorization: 'Bearer' },
      { cookie: 'username-127-0-0-1=forged' },
      // A page of somebody else's can send the cookie, and not the header that goes with it.
      ...(method === 'GET' ? [] : [{ cookie }, { cookie, 'x-xsrftoken': 'guessed' }]),
    ])
      expect((await ask(path, { method, headers, body })).status, `${method} ${path}`).toBe(403)
  }
  expect((await ask('/mcp/healthz', { headers: { cookie } })).status).toBe(200)
  const foreign = { cookie, origin: 'https://elsewhere.example' }
  expect((await ask('/mcp/tools/list', { headers: foreign })).status).toBe(404)
  const own = await ask('/mcp/tools/call', {
    method: 'POST',
    headers: { cookie, 'x-xsrftoken': xsrf },
    body: '{"tool_name":"list_files"}',
  })
  expect(own.status).toBe(200)
})

test.each(['Bearer', 'token', 'bearer'])('its token opens it in the scheme %s', async (scheme) => {
  verifies('NB-EXT-6', 'NB-EXT-10', 'NB-EXT-11')
  const answer = await ask('/mcp/healthz', { headers: { authorization: `${scheme} ${TOKEN}` } })
  expect(await answer.json()).toEqual({
    status: 'healthy',
    context_type: 'NOTEBOOK_SERVER',
    document_url: `${jupyter.url}/`,
    code_sandbox_url: `${jupyter.url}/`,
    extension: 'quire_notebook',
    version: expect.any(String),
  })
})

test('tools are listed and called without a client of the protocol', async () => {
  verifies('NB-EXT-7', 'NB-EXT-8', 'NB-EXT-15')
  const { tools, count } = (await (await ask('/mcp/tools/list', { headers: bearer })).json()) as {
    tools: { name: string; annotations: object }[]
    count: number
  }
  expect(tools).toHaveLength(count)
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['use_notebook', 'execute_code', 'run_cells']))
  expect(names).not.toContain('connect_to_jupyter')
  await writeFile(join(jupyter.root, 'seen.txt'), '')
  const call = async (body: string) => {
    const answer = await ask('/mcp/tools/call', { method: 'POST', headers: bearer, body })
    return { status: answer.status, body: await answer.json() }
  }
  expect(await call('{"tool_name":"list_files","arguments":{}}')).toMatchObject({
    status: 200,
    body: { success: true, result: { structuredContent: { files: [{ path: 'seen.txt' }] } } },
  })
  expect(await call('{"tool_name":"read_notebook","arguments":{"notebook_name":"none"}}')).toMatchObject({
    status: 200,
    body: { success: false, result: { isError: true } },
  })
  expect(await call('{"tool_name":"connect_to_jupyter"}')).toMatchObject({
    status: 400,
    body: { success: false, error: expect.stringContaining('no tool') },
  })
  for (const bad of ['', '[]', '{', '{}', '{"tool_name":7}', '{"tool_name":"list_files","arguments":[]}'])
    expect((await call(bad)).status, bad).toBe(400)
  const spoiled = JSON.stringify({ tool_name: 'a\r\nx-injected: é' })
  expect((await call(spoiled)).status).toBe(400)
})

test.each<[Mode, string]>([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
])('a notebook is opened, edited, executed and read (%s)', async (mode, revision) => {
  verifies('NB-EXT-1', 'NB-EXT-2', 'NB-EXT-4', 'NB-EXT-5', 'NB-EXT-15', 'NB-EXT-17', 'NB-EXT-18')
  const { client, call, close } = await connectToPort(jupyter.url, mode)
  onTestFinished(close)
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('jupyter_cite')
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('connect_to_jupyter')
  const notebook = { notebook_name: mode }
  const path = `${mode}.ipynb`
  const opened = await call('use_notebook', { ...notebook, notebook_path: path, mode: 'create' })
  expect(opened.isError, opened.text).toBe(false)
  const source = 'print(6 * 7)'
  await call('insert_cell', { ...notebook, cell_index: 0, cell_type: 'code', cell_source: source })
  await call('overwrite_cell_source', { ...notebook, cell_index: 0, cell_source: 'print(6 * 9)' })
  expect((await call('execute_cell', { ...notebook, cell_index: 0 })).text).toContain('54')
  expect((await call('read_cell', { ...notebook, cell_index: 0 })).text).toContain('print(6 * 9)')
  const { cells } = JSON.parse(await readFile(join(jupyter.root, path), 'utf8'))
  expect(cells[0]).toMatchObject({ outputs: [{ text: ['54\n'] }] })
  const failed = await call('execute_code', { ...notebook, code: 'def f():\n    1 / 0\nf()' })
  expect(failed.text).toContain('Traceback (most recent call last)')
  expect(failed.text).toMatch(/line 3|----> 3/)
  expect(failed.text).toMatch(/ZeroDivisionError: division by zero/)
  await call('unuse_notebook', notebook)
})
