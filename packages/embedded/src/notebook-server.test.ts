import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { YCodeCell } from '@jupyter/ydoc'
import { KernelManager, type KernelMessage, type Session, SessionManager } from '@jupyterlab/services'
import { createLogger } from '@quire/kit/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { joinRoom, type RoomClient } from './fixtures/room-client.ts'
import { servicesSettings } from './fixtures/services.ts'
import {
  newFolder,
  notebookOf,
  type RunningEmbedded,
  removeFolder,
  startEmbedded,
} from './fixtures/start-embedded.ts'
import { createPyodideKernels } from './kernel/pyodide-kernels.ts'

const FOLDER = 'Ordner ä #1'
const PATH = `${FOLDER}/100% 'odd' "name" & +;=@[1]{2}~ 日本 😀.ipynb`

type Kernel = NonNullable<Session.ISessionConnection['kernel']>

let server: RunningEmbedded
let kernelManager: KernelManager
let manager: SessionManager
let kernel: Kernel
let client: RoomClient

beforeAll(async () => {
  const folder = newFolder()
  await mkdir(join(folder, FOLDER))
  await writeFile(join(folder, FOLDER, 'beside.csv'), 'a,b\n1,2\n')
  await writeFile(join(folder, PATH), JSON.stringify(notebookOf('first', 'second')))
  const logger = createLogger({ level: 'silent', pretty: false })
  server = await startEmbedded({ folder, kernels: createPyodideKernels({ logger }) })
  const serverSettings = servicesSettings(server)
  kernelManager = new KernelManager({ serverSettings })
  manager = new SessionManager({ serverSettings, kernelManager })
  await manager.ready
  const request = { path: PATH, name: PATH, type: 'notebook', kernel: { name: 'python3' } }
  const session = await manager.startNew(request)
  if (!session.kernel) throw new Error('the session has no kernel')
  kernel = session.kernel
  client = await joinRoom(server, PATH)
})

afterAll(async () => {
  client?.close()
  await manager?.shutdownAll()
  manager?.dispose()
  kernelManager?.dispose()
  await server?.stop()
  await removeFolder(server.folder)
})

interface Ran {
  readonly status: string | undefined
  readonly text: string
}

/** What JupyterLab's client gets of some code; `onText` as it comes. */
async function run(code: string, onText: (text: string) => void = () => undefined): Promise<Ran> {
  const future = kernel.requestExecute({ code })
  const texts: string[] = []
  future.onIOPub = (message) => {
    if (message.header.msg_type !== 'stream') return
    const { text } = (message as KernelMessage.IStreamMsg).content
    texts.push(text)
    onText(text)
  }
  const reply = await future.done
  return { status: reply?.content.status, text: texts.join('') }
}

test('code runs where its notebook is, and opens the files beside it', async () => {
  const { text } = await run('import os\nprint(os.getcwd())\nprint(open("beside.csv").read())')
  expect(text).toBe(`/notebooks/${FOLDER}\na,b\n1,2\n\n`)
})

test('the banner says what this kernel cannot do', async () => {
  const { banner } = await kernel.info
  for (const limit of ['native code', 'No threads', 'input()', 'cannot deny network sockets'])
    expect(banner).toContain(limit)
})

test('what a cell prints goes into the room as it comes, and into the file', async () => {
  const watcher = await joinRoom(server, PATH)
  // The union of cells is not told apart by `cell_type`.
  const cell = client.notebook.cells[0] as YCodeCell
  cell.setOutputs([{ output_type: 'stream', name: 'stdout', text: '' }])
  const { status } = await run('for i in range(3): print(i)', (text) => cell.appendStreamOutput(0, text))
  expect(status).toBe('ok')
  await expect
    .poll(() => watcher.notebook.cells[0]?.toJSON())
    .toMatchObject({ outputs: [{ text: '0\n1\n2\n' }] })
  await expect
    .poll(async () => JSON.parse(await server.read(PATH)).cells[0].outputs)
    .toEqual([{ output_type: 'stream', name: 'stdout', text: ['0\n', '1\n', '2\n'] }])
  watcher.close()
})

test('20 MiB of output pass', async () => {
  expect((await run('print("x" * (20 << 20))')).text.length).toBe((20 << 20) + 1)
})

test('an endless loop is interrupted, and the names stay', async () => {
  const printed = Promise.withResolvers<void>()
  const running = run('kept = 1\nprint("in it")\nwhile True: pass', () => printed.resolve())
  await printed.promise
  await kernel.interrupt()
  expect((await running).status).toBe('error')
  expect((await run('print(kept)')).text).toBe('1\n')
})

test('a loop that swallows every interrupt loses its process, that is said, and the next code runs', async () => {
  const printed = Promise.withResolvers<void>()
  const code = 'print("in it")\nwhile True:\n  try:\n    while True: pass\n  except KeyboardInterrupt: pass'
  const running = run(code, () => printed.resolve())
  await printed.promise
  await kernel.interrupt()
  const { status, text } = await running
  expect(status).toBe('error')
  expect(text).toContain('did not react to the interrupt')
  expect((await run('print(1)')).text).toBe('1\n')
})

test('a restart forgets the names and keeps the folder', async () => {
  await run('forgotten = 1')
  await kernel.restart()
  expect((await run('forgotten')).status).toBe('error')
  expect((await run('import os\nprint(os.listdir())')).text).toContain('beside.csv')
})
