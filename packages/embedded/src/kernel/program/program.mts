// The process of one kernel. Its arguments: the folder of pyodide, the notebook folder, the working folder within that.
import { Console } from 'node:console'
import fs from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { PyodideAPI } from 'pyodide'
import { disarm } from './disarm.mts'
import { createFrameReader, REQUESTS_FD, type Request } from './frame.mts'
import { createInterrupts, type Interrupts } from './interrupts.mts'
import { createPublisher, type Publisher, type StreamName } from './publisher.mts'
import { SHELL_SOURCE } from './shell-source.mts'

interface Shell {
  handle(type: string, contentJson: string): Promise<void>
  interrupt(): boolean
  finish(): void
}

const HOME = '/notebooks'
const FLUSH_EVERY_MS = 50
const FATAL = 70
const MAX_STACK = 4000

const [, , pyodideFolder = '', notebookFolder = '', workingFolder = ''] = process.argv
const publisher = createPublisher()
const python = await loadPython(pyodideFolder, notebookFolder, workingFolder)
const requests = new Socket({ fd: REQUESTS_FD, readable: true, writable: false })
disarm(requests)
globalThis.console = new Console(toStream(publisher, 'stdout'), toStream(publisher, 'stderr'))
// What a callback of the notebook's code throws belongs to nobody's request; the kernel lives on.
process.on('uncaughtException', (error) =>
  publisher.print('stderr', `${String(error?.stack ?? error).slice(0, MAX_STACK)}\n`),
)
const interrupts = createInterrupts({
  onTick: publisher.tick,
  onWaiting: () => shell.interrupt(),
  onTaken: () => publisher.say({ channel: 'process', type: 'interrupted', content: {} }),
})
const shell = startShell(python, publisher, interrupts)
serve(requests, shell, publisher, interrupts)
publisher.say({ channel: 'process', type: 'ready', content: {} })

async function loadPython(pyodide: string, folder: string, working: string): Promise<PyodideAPI> {
  const { loadPyodide }: typeof import('pyodide') = await import(pathToFileURL(`${pyodide}/pyodide.mjs`).href)
  const refused = Reflect.get(process, 'binding')
  // The permission model refuses it; pyodide asks it for these numbers alone.
  Reflect.set(process, 'binding', () => ({ fs: fs.constants }))
  try {
    const loaded = await loadPyodide({ indexURL: pyodide, env: { HOME, PWD: `${HOME}/${working}` } })
    loaded.mountNodeFS(HOME, folder)
    return loaded
  } finally {
    Reflect.set(process, 'binding', refused)
  }
}

function startShell(
  loaded: PyodideAPI,
  { sayJson, print, flush }: Publisher,
  { buffer, rest, allow }: Interrupts,
): Shell {
  // It reads and writes the first element, nothing else of what its type promises.
  loaded.setInterruptBuffer(buffer as unknown as Uint8Array)
  // Python cannot go on after it: the host starts another process.
  Reflect.set(Reflect.get(loaded, '_api'), 'on_fatal', () => process.exit(FATAL))
  loaded.registerJsModule('_kernel_host', { say: sayJson, print, flush, rest, allow })
  const started: Shell = loaded.runPython(SHELL_SOURCE, { filename: '<kernel>' })
  return started
}

function serve(
  requests: Socket,
  { handle, finish }: Shell,
  { say, flush }: Publisher,
  { forget }: Interrupts,
): void {
  const reader = createFrameReader((json) => void answer(JSON.parse(json)))
  requests.on('data', reader.push)
  requests.on('end', () => {
    finish()
    process.exit(0)
  })
  // What still runs after its cell has ended prints as well.
  setInterval(flush, FLUSH_EVERY_MS)

  async function answer({ type, content }: Request): Promise<void> {
    forget()
    say({ channel: 'iopub', type: 'status', content: { execution_state: 'busy' } })
    try {
      await handle(type, JSON.stringify(content))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const content = { status: 'error', ename: 'KernelError', evalue: reason.slice(-2000), traceback: [] }
      say({ channel: 'shell', type: type.replace(/_request$/, '_reply'), content })
    }
    say({ channel: 'iopub', type: 'status', content: { execution_state: 'idle' } })
  }
}

function toStream({ print }: Publisher, name: StreamName): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      print(name, String(chunk))
      done()
    },
  })
}
