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

const POLL = { timeout: 15_000, interval: 50 }
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
      { cell_index: -1, cell_source: code, notebook_name: name, progress_interval: 1 },
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
    verifies('NB-EXEC-8', 'NB-EXEC-7')
    const source = `from IPython.display import display, Image\nfrom base64 import b64decode\ndisplay(Image(b64decode("PIXEL")))`
    const cell = { cell_index: -1, cell_type: 'code', cell_source: source, notebook_name: name }
    await client.call('insert_cell', cell)
    const edit = { cell_index: 0, old_string: 'PIXEL', new_string: PIXEL, notebook_name: name }
    expect((await client.call('edit_cell_source', edit)).text).toContain('edited successfully')
    const plot = await client.call('execute_cell', { cell_index: 0, notebook_name: name })
    expect(plot.content).toContainEqual({ type: 'image', data: PIXEL, mimeType: 'image/png' })

    const long = longRun(jupyter, `${name}-told`)
    const told: string[] = []
    const reply = await run(long.code, {
      onprogress({ message = '', total }) {
        told.push(`${message} of ${total}`)
        if (message.includes('elapsed')) void long.letGo()
      },
    })
    expect(told[0]).toBe(`${name}-told has begun of 120`)
    expect(told.at(-1)).toMatch(/^\d\.\ds elapsed, 1 output\(s\) so far: .* has begun of 120$/)
    expect(reply.text).toContain('has ended')
    const cited = await client.client.getPrompt({
      name: 'jupyter_cite',
      arguments: { prompt: 'Why?', cell_indices: '0', notebook_name: name },
    })
    expect(JSON.stringify(cited.messages)).toContain(PIXEL)
  })

  test('reads an output that was cut, whole', async () => {
    verifies('NB-EXEC-7')
    const { content, structured } = await run(`print('x' * 100_000)`)
    expect(structured).toMatchObject({ truncated: true })
    const link = content.find((block) => block.type === 'resource_link')
    const { contents } = await client.client.readResource({ uri: link?.uri ?? '' })
    expect(contents).toMatchObject([{ mimeType: 'text/plain', text: `${'x'.repeat(100_000)}\n` }])
  })

  test('interrupts the kernel when it aborts its call', async () => {
    const long = longRun(jupyter, `${name}-aborted`)
    const abort = new AbortController()
    const call = expect(run(long.code, { signal: abort.signal })).rejects.toThrow('enough')
    await long.hasStarted()
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

test.each(['auto', 'legacy'] as const)('--read-only leaves a client in mode %s reading', async (mode) => {
  verifies('NB-FLAG-17')
  const { client, call, close } = await connectToProgram(program('--read-only'), mode)
  cleanups.push(close)
  const { tools } = await client.listTools()
  expect(tools.length).toBeLessThan(29)
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
    'unuse_notebook',
    'use_notebook',
  ])
  expect((await call('list_files')).isError).toBe(false)
  await expect(call('execute_code', { code: '1' })).rejects.toThrow('There is no tool "execute_code"')
  const refused = await call('use_notebook', create('forbidden'))
  expect(refused.isError).toBe(true)
})

describe('several clients over HTTP with one token', () => {
  const first = { cell_index: 0 }
  const stop = () =>
    fetch(`${server.url}/api/stop`, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}` } })

  test('without sessions, a call without a name works while there is no choice', async () => {
    verifies('NB-REPLY-4', 'NB-REPLY-5')
    await stop()
    const { call } = await open('auto')
    expect(await call('read_cell', first)).toMatchObject({
      isError: true,
      text: expect.stringContaining('No notebook is in use yet'),
    })
    await call('use_notebook', create('only'))
    const cell = { cell_index: -1, cell_type: 'markdown', cell_source: '# only' }
    expect((await call('insert_cell', cell)).isError).toBe(false)
    expect((await call('read_cell', first)).text).toContain('# only')

    // Whoever it is that opens another one.
    await (await open('legacy')).call('use_notebook', create('second'))
    const { isError, text } = await call('read_cell', first)
    expect(isError).toBe(true)
    expect(text).toMatch(/give notebook_name.*'only', 'second'/)
    expect((await call('read_cell', { ...first, notebook_name: 'only' })).text).toContain('# only')
  })

  test('each session has its own current notebook', async () => {
    verifies('NB-MCP-2', 'NB-TOOL-3')
    const [ada, bob] = [await open('legacy'), await open('legacy')]
    for (const [who, name] of [
      [ada, 'adas'],
      [bob, 'bobs'],
    ] as const) {
      await who.call('use_notebook', create(name))
      await who.call('insert_cell', { cell_index: 0, cell_type: 'raw', cell_source: `this is ${name}` })
    }
    for (const [who, name] of [
      [ada, 'adas'],
      [bob, 'bobs'],
    ] as const)
      expect((await who.call('read_cell', first)).text).toContain(`this is ${name}`)
  })
})

describe('a client that goes away over HTTP while its code runs', () => {
  async function runAndLeave(mode: Mode, name: string, leave: (client: Port) => Promise<unknown>) {
    const client = await open(mode)
    await client.call('use_notebook', create(name))
    const long = longRun(jupyter, name)
    const cell = { cell_index: -1, cell_source: long.code, notebook_name: name }
    const lost = expect(client.call('insert_execute_code_cell', cell)).rejects.toThrow()
    await long.hasStarted()
    await leave(client)
    await client.close()
    await lost
    return long
  }
  type Port = Awaited<ReturnType<typeof open>>
  const printed = async (name: string) => {
    const { call } = await open('legacy')
    return (await call('read_cell', { cell_index: 0, notebook_name: name })).text
  }

  test('without a session, has its code interrupted: leaving is how that protocol cancels', async () => {
    const long = await runAndLeave('auto', 'left-stateless', async () => undefined)
    await expect.poll(long.wasInterrupted, POLL).toBe(true)
    await expect.poll(() => printed('left-stateless'), POLL).toMatch(/has begun\n.*KeyboardInterrupt/s)
  })

  test('with a session, finds what came of it in the notebook: it may come back', async () => {
    const long = await runAndLeave('legacy', 'left-session', async () => undefined)
    await long.letGo()
    await expect.poll(() => printed('left-session'), POLL).toMatch(/has begun\n.* has ended/)
    expect(long.wasInterrupted()).toBe(false)
  })

  test('after ending its session, has its code interrupted', async () => {
    const long = await runAndLeave('legacy', 'ended-session', ({ transport }) => transport.terminateSession())
    await expect.poll(long.wasInterrupted, POLL).toBe(true)
    const { call } = await open('legacy')
    const next = await call('execute_code', { code: '6 * 7', notebook_name: 'ended-session' })
    expect(next).toMatchObject({ text: '42', isError: false })
  })
})
