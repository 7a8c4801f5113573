import type { RequestOptions } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER } from './notebook.fixture.ts'
import {
  connectToPort,
  connectToProgram,
  environmentFor,
  longRun,
  type Mode,
  type OfficialClient,
  startOnPort,
  TOKEN,
} from './notebook-clients.fixture.ts'

let jupyter: Jupyter
let server: Awaited<ReturnType<typeof startOnPort>>
beforeAll(async () => {
  jupyter = await startJupyter()
  server = await startOnPort(jupyter)
})
afterAll(async () => {
  await server?.stop('SIGKILL')
  await jupyter?.stop()
})
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function open(mode: Mode) {
  const client = await connectToPort(server.url, mode)
  cleanups.push(client.close)
  return client
}
const program = (...args: string[]) => ({
  command: process.execPath,
  args: [LAUNCHER, 'notebook', 'start', ...args],
  env: environmentFor(jupyter),
})
const create = (name: string) => ({ notebook_name: name, notebook_path: `${name}.ipynb`, mode: 'create' })

const POLL = { timeout: 30_000, interval: 50 }
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.each([
  ['HTTP', 'auto', '2026-07-28'],
  ['HTTP', 'legacy', '2025-11-25'],
  ['stdio', 'auto', '2026-07-28'],
  ['stdio', 'legacy', '2025-11-25'],
] as const)('over %s, the official client in mode %s', (wire, mode, version) => {
  const name = `${wire}-${mode}`
  let client: OfficialClient
  beforeAll(async () => {
    client = await (wire === 'HTTP' ? connectToPort(server.url, mode) : connectToProgram(program(), mode))
  })
  afterAll(() => client?.close())
  const run = (code: string, options?: RequestOptions) =>
    client.call(
      'insert_execute_code_cell',
      { cell_index: -1, cell_source: code, notebook_name: name },
      options,
    )

  test('opens a notebook and finds what is offered', async () => {
    verifies('NB-MODE-1', ...(wire === 'HTTP' ? ([mode === 'auto' ? 'NB-MCP-3' : 'NB-MCP-2'] as const) : []))
    expect(client.client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.call('use_notebook', create(name))).isError).toBe(false)
    expect((await client.client.listTools()).tools).toHaveLength(29)
    expect((await client.client.listPrompts()).prompts).toMatchObject([{ name: 'jupyter_cite' }])
    const { resources } = await client.client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain(`notebook://${name}`)
    expect((await client.client.listResourceTemplates()).resourceTemplates).toHaveLength(6)
    const { completion } = await client.client.complete({
      ref: { type: 'ref/prompt', name: 'jupyter_cite' },
      argument: { name: 'notebook_name', value: name.slice(0, -1) },
    })
    expect(completion.values).toEqual([name])
  })

  test('edits and runs cells, and is told how it goes', async () => {
    const source = `from IPython.display import display, Image\nfrom base64 import b64decode\ndisplay(Image(b64decode("PIXEL")))`
    const cell = { cell_index: -1, cell_type: 'code', cell_source: source, notebook_name: name }
    await client.call('insert_cell', cell)
    const edit = { cell_index: 0, old_string: 'PIXEL', new_string: PIXEL, notebook_name: name }
    expect((await client.call('edit_cell_source', edit)).text).toContain('edited successfully')
    const plot = await client.call('execute_cell', { cell_index: 0, notebook_name: name })
    expect(plot.content).toContainEqual({ type: 'image', data: PIXEL, mimeType: 'image/png' })

    const long = longRun(jupyter, `${name}-told`)
    const told: unknown[] = []
    const reply = await run(long.code, {
      onprogress(progress) {
        told.push(progress)
        void long.letGo()
      },
    })
    expect(told[0]).toMatchObject({ message: `${name}-told has begun`, total: 120 })
    expect(reply.text).toContain('has ended')
    const cited = await client.client.getPrompt({
      name: 'jupyter_cite',
      arguments: { prompt: 'Why?', cell_indices: '0', notebook_name: name },
    })
    expect(JSON.stringify(cited.messages)).toContain(PIXEL)
  })

  test('reads an output that was cut, whole', async () => {
    verifies('NB-EXEC-7')
    const { content, text, structured } = await run(`print('x' * 100_000)`)
    expect(structured).toMatchObject({ truncated: true })
    expect(text).toMatch(/\d+ bytes cut/)
    const link = content.find((block) => block.type === 'resource_link')
    const { contents } = await client.client.readResource({ uri: link?.uri ?? '' })
    expect(contents).toMatchObject([{ mimeType: 'text/plain', text: `${'x'.repeat(100_000)}\n` }])
  })

  test('interrupts the kernel when it aborts its call', async () => {
    const abort = new AbortController()
    const long = longRun(jupyter, `${name}-aborted`, abort.signal)
    const call = expect(run(long.code, long.options)).rejects.toThrow('enough')
    await long.hasBegun
    abort.abort(new Error('enough'))
    await call
    const next = await client.call('execute_code', { code: '6 * 7', notebook_name: name })
    expect(next).toMatchObject({ text: '42', isError: false })
    expect(long.wasInterrupted()).toBe(true)
    // What it printed until then is written all the same.
    const cell = { cell_index: 3, notebook_name: name }
    await expect
      .poll(async () => (await client.call('read_cell', cell)).text, POLL)
      .toMatch(/-aborted has begun\n.*KeyboardInterrupt/s)
  })
})

test('--read-only leaves a client reading', async () => {
  verifies('NB-FLAG-17')
  const { client, call, close } = await connectToProgram(program('--read-only'), 'auto')
  cleanups.push(close)
  const { tools } = await client.listTools()
  expect(tools.length).toBeLessThan(29)
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
    'unuse_notebook',
    'use_notebook',
  ])
  expect((await call('list_files')).isError).toBe(false)
  await expect(call('execute_code', { code: '1' })).rejects.toThrow('execute_code')
  const refused = await call('use_notebook', create('forbidden'))
  expect(refused.isError).toBe(true)
})

describe('several clients over HTTP with one token', () => {
  const first = { cell_index: 0 }
  const letAllGo = () =>
    fetch(`${server.url}/api/stop`, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}` } })

  test('without sessions, a call without a name works while there is no choice', async () => {
    verifies('NB-REPLY-4', 'NB-REPLY-5')
    await letAllGo()
    const { call } = await open('auto')
    expect(await call('read_cell', first)).toMatchObject({
      isError: true,
      text: expect.stringContaining('use_notebook'),
    })
    await call('use_notebook', create('only'))
    const cell = { cell_index: -1, cell_type: 'markdown', cell_source: '# only' }
    expect((await call('insert_cell', cell)).isError).toBe(false)
    expect((await call('read_cell', first)).text).toContain('# only')

    // Whoever it is that opens another one.
    await (await open('legacy')).call('use_notebook', create('second'))
    const { isError, text } = await call('read_cell', first)
    expect(isError).toBe(true)
    expect(text).toMatch(/notebook_name.*'only', 'second'/)
    expect((await call('read_cell', { ...first, notebook_name: 'only' })).text).toContain('# only')
  })

  test('each session has its own current notebook', async () => {
    verifies('NB-MCP-2', 'NB-TOOL-3')
    const clients = [await open('legacy'), await open('legacy')]
    for (const [index, { call }] of clients.entries()) {
      await call('use_notebook', create(`of-client-${index}`))
      await call('insert_cell', { cell_index: 0, cell_type: 'raw', cell_source: `this is of ${index}` })
    }
    for (const [index, { call }] of clients.entries())
      expect((await call('read_cell', first)).text).toContain(`this is of ${index}`)
  })
})

describe('a client that goes away over HTTP while its code runs', () => {
  type Client = Awaited<ReturnType<typeof open>>

  async function runAndLeave(mode: Mode, name: string, leave: (client: Client) => Promise<unknown>) {
    const client = await open(mode)
    await client.call('use_notebook', create(name))
    const long = longRun(jupyter, name)
    const cell = { cell_index: -1, cell_source: long.code, notebook_name: name }
    const lost = expect(client.call('insert_execute_code_cell', cell, long.options)).rejects.toThrow()
    await long.hasBegun
    await leave(client)
    await client.close()
    await lost
    const { call } = await open('legacy')
    return {
      ...long,
      readCell: async () => (await call('read_cell', { cell_index: 0, notebook_name: name })).text,
      compute: () => call('execute_code', { code: '6 * 7', notebook_name: name }),
    }
  }

  test('without a session, has its code interrupted: leaving is how that protocol cancels', async () => {
    const { wasInterrupted, readCell, compute } = await runAndLeave('auto', 'stateless', async () => 0)
    await expect.poll(wasInterrupted, POLL).toBe(true)
    await expect.poll(readCell, POLL).toMatch(/has begun\n.*KeyboardInterrupt/s)
    expect(await compute()).toMatchObject({ text: '42', isError: false })
  })

  test('with a session, finds what came of it in the notebook: it may come back', async () => {
    const { letGo, wasInterrupted, readCell } = await runAndLeave('legacy', 'session', async () => 0)
    await letGo()
    await expect.poll(readCell, POLL).toMatch(/has begun\n.* has ended/)
    expect(wasInterrupted()).toBe(false)
  })

  test('and has ended its session, has its code interrupted', async () => {
    const end = ({ transport }: Client) => transport.terminateSession()
    const { wasInterrupted, compute } = await runAndLeave('legacy', 'ended', end)
    await expect.poll(wasInterrupted, POLL).toBe(true)
    expect(await compute()).toMatchObject({ text: '42', isError: false })
  })
})
