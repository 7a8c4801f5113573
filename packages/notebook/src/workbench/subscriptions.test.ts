import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { serveStdio } from '@quire/mcp/serving/stdio'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NotebookConfig } from '../config.ts'
import { codeCell, readNotebookFile, writeNotebook } from '../fixtures/notebook-files.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { serveWorkbench } from '../fixtures/stand-in.ts'
import { createWorkbench } from './create-workbench.ts'
import type { Workbench } from './workbench.ts'

type Mode = 'auto' | 'legacy'
/** Files are looked at every two seconds, and what is in use too. */
const PATIENCE = { timeout: 30_000, interval: 200 }
const CELLS = [codeCell('ours', 'x = 0'), codeCell('theirs', 'y = 0')]

let jupyter: Jupyter
beforeAll(async () => {
  jupyter = await startJupyter()
})
const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  await jupyter?.stop()
})

function openWorkbench(): Workbench {
  const target = { url: jupyter.url, token: jupyter.token }
  const config: NotebookConfig = {
    version: '0.0.0-test',
    targets: { document: target, sandbox: target },
    executionTimeoutSeconds: 120,
    maxExecutionTimeoutSeconds: 3600,
    maxOutputBytes: 65_536,
    images: true,
    readOnly: false,
    allowedPaths: [],
    recordCode: false,
  }
  const workbench = createWorkbench(config, { logger: createSilentLogger() })
  cleanups.push(workbench.close)
  return workbench
}

/** A service on a port, and how to connect to it. */
async function openHttp(): Promise<(mode: Mode) => Promise<Listener>> {
  const { url, close } = await serveWorkbench(openWorkbench())
  cleanups.push(close)
  return (mode) => connect(mode, new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
}

/** A service for one client alone. */
function openStdio(mode: Mode): Promise<Listener> {
  const workbench = openWorkbench()
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const logger = createSilentLogger()
  const serving = serveStdio(workbench.createServer, { stdin, stdout, stderr, logger })
  cleanups.push(serving.close)
  workbench.tellChangesTo(serving.notify)
  return connect(mode, new StdioServerTransport(stdout, stdin))
}

interface Listener {
  /** The resources that were updated, and `list` where the list of them was. */
  readonly told: string[]
  updates(): string[]
  call(name: string, args: Record<string, unknown>): Promise<void>
  use(name: string, path: string): Promise<void>
  overwrite(notebook: string, cell: string): Promise<void>
  /** In the way of its era; returns how to take it back. */
  subscribe(...uris: string[]): Promise<() => Promise<unknown>>
}

async function connect(mode: Mode, transport: Transport): Promise<Listener> {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
  const told: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('list'))
  await client.connect(transport)
  cleanups.push(() => client.close())
  let edits = 0

  async function call(name: string, args: Record<string, unknown>): Promise<void> {
    const { isError, content } = await client.callTool({ name, arguments: args })
    expect(isError, JSON.stringify(content)).toBeFalsy()
  }

  return {
    told,
    updates: () => [...new Set(told)].filter((what) => what !== 'list').sort(),
    call,
    use: (name, path) => call('use_notebook', { notebook_name: name, notebook_path: path }),
    overwrite(notebook, cell) {
      edits += 1
      const args = { notebook_name: notebook, cell_id: cell, cell_source: `edit = ${edits}` }
      return call('overwrite_cell_source', args)
    },
    async subscribe(...uris) {
      if (mode === 'auto') {
        const { close } = await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true })
        return close
      }
      await Promise.all(uris.map((uri) => client.subscribeResource({ uri })))
      return () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri })))
    },
  }
}

/** In the file itself, as a person with an editor does. */
async function editByHand(path: string, cell: string): Promise<void> {
  const { cells, ...rest } = readNotebookFile(jupyter.root, path)
  const changed = cells.map((one) => (one.id === cell ? { ...one, source: 'by = "hand"' } : one))
  await writeFile(join(jupyter.root, path), JSON.stringify({ ...rest, cells: changed }))
}

describe('clients of both eras that have subscribed to a notebook', () => {
  let editor: Listener
  /** Has subscribed to another notebook. */
  let elsewhere: Listener
  let onPort: Listener[]
  let all: Listener[]
  let unsubscribe: () => Promise<unknown>
  const WANTED = ['notebook://n', 'notebook://n/cells/theirs']
  const updates = () => all.map((client) => client.updates())

  beforeAll(async () => {
    for (const path of ['n.ipynb', 'other.ipynb', 'new.ipynb']) writeNotebook(jupyter.root, path, CELLS)
    const overHttp = await openHttp()
    editor = await overHttp('legacy')
    elsewhere = await overHttp('auto')
    onPort = [await overHttp('auto'), await overHttp('legacy')]
    all = [...onPort, await openStdio('auto'), await openStdio('legacy')]
    for (const client of all) await client.use('n', 'n.ipynb')
    await editor.use('my other', 'other.ipynb')
    await elsewhere.subscribe('notebook://my%20other')
    const ends = await Promise.all(all.map((client) => client.subscribe(...WANTED)))
    unsubscribe = () => Promise.all(ends.map((end) => end()))
  })

  test('are told when another client edits it', async () => {
    // More than once, because the watch begins a moment after the subscription.
    const edit = () => editor.overwrite('n', 'ours')
    await expect.poll(() => edit().then(updates), PATIENCE).toEqual(all.map(() => ['notebook://n']))
  })

  test('are told when a person edits the file', async () => {
    await editByHand('n.ipynb', 'theirs')
    await expect.poll(updates, PATIENCE).toEqual(all.map(() => WANTED))
  })

  test('are told when notebooks are opened and let go', async () => {
    const haveHeard = () => onPort.map(({ told }) => told.includes('list'))
    // Of those that were open when the watch began.
    await expect.poll(haveHeard, PATIENCE).toEqual([true, true])
    for (const change of [
      () => editor.use('new', 'new.ipynb'),
      () => editor.call('unuse_notebook', { notebook_name: 'new' }),
    ]) {
      for (const client of onPort) client.told.length = 0
      await change()
      await expect.poll(haveHeard, PATIENCE).toEqual([true, true])
    }
  })

  test('are told nothing when they have taken it back, as those who never asked', async () => {
    await unsubscribe()
    for (const client of onPort) client.told.length = 0
    await editor.overwrite('n', 'ours')
    await editor.overwrite('my other', 'ours')
    await expect.poll(elsewhere.updates, PATIENCE).toEqual(['notebook://my%20other'])
    expect([...onPort, editor].map((client) => client.updates())).toEqual([[], [], []])
  })
})
