import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogger } from '@quire/kit/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { execute } from './kernel.fixture.ts'
import type { Kernel } from './kernel.ts'
import { createPyodideKernels } from './pyodide-kernels.ts'

const SECRET = 'a secret of the host'
const OUR_MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url))

let base: string
let folder: string
let kernel: Kernel
let listener: Server

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'quire-wall-')))
  folder = join(base, 'notebooks')
  await mkdir(folder)
  await mkdir(`${folder}-other`)
  await writeFile(join(folder, 'inside.txt'), 'what is inside')
  await writeFile(join(base, 'outside.txt'), SECRET)
  await writeFile(join(base, 'outside.json'), JSON.stringify({ SECRET }))
  await writeFile(join(`${folder}-other`, 'secret.txt'), SECRET)
  await writeFile(join(folder, 'addon.node'), 'no library')
  listener = createServer((socket) => socket.end(SECRET)).listen(join(base, 'host.sock'))
  await once(listener, 'listening')
  kernel = createPyodideKernels({ logger: createLogger({ level: 'silent', pretty: false }) }).start({
    specName: 'python3',
    folder,
    path: '',
  })
})

afterAll(async () => {
  await kernel?.close()
  listener?.close()
  await rm(base, { recursive: true, force: true })
})

/** The value of a JavaScript expression in the kernel's process, reached the way Python code reaches it. */
async function inKernel(expression: string): Promise<string> {
  const script = `(async () => {
    const process = [].constructor.constructor('return process')()
    const builtin = process.getBuiltinModule, fs = builtin('fs')
    const BASE = ${JSON.stringify(base)}, FOLDER = ${JSON.stringify(folder)}, MANIFEST = ${JSON.stringify(OUR_MANIFEST)}
    try { return 'DONE ' + String(await (${expression})) } catch (error) { return 'REFUSED ' + (error.code ?? '') + ' ' + error.message }
  })()`
  const done = await execute(
    kernel,
    `from pyodide.code import run_js\nprint(await run_js(${JSON.stringify(script)}))`,
  )
  return done.stream('stdout')
}

test('the folder itself can be read and written from there, so that a refusal below means something', async () => {
  expect(await inKernel(`fs.readFileSync(FOLDER + '/inside.txt', 'utf8')`)).toBe('DONE what is inside\n')
  expect(await inKernel(`fs.writeFileSync(FOLDER + '/made.txt', 'x')`)).toBe('DONE undefined\n')
  expect(await inKernel(`fs.readdirSync(FOLDER).includes('made.txt')`)).toBe('DONE true\n')
})

const READS = {
  'a file of the system': `fs.readFileSync('/etc/passwd', 'utf8')`,
  'our own manifest': `fs.readFileSync(MANIFEST, 'utf8')`,
  'its own environment': `fs.readFileSync('/proc/self/environ', 'utf8')`,
  "the host's environment": `fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8')`,
  "the host's memory map": `fs.readFileSync('/proc/' + process.ppid + '/maps', 'utf8')`,
  'a neighbour whose name begins alike': `fs.readFileSync(FOLDER + '-other/secret.txt', 'utf8')`,
  'a step up': `fs.readFileSync(FOLDER + '/../outside.txt', 'utf8')`,
  'a path in bytes': `fs.readFileSync(Buffer.from(BASE + '/outside.txt'), 'utf8')`,
  'a path in bytes that steps up': `fs.readFileSync(Buffer.from(FOLDER + '/../outside.txt'), 'utf8')`,
  'an address of a file': `fs.readFileSync(new URL('file://' + BASE + '/outside.txt'), 'utf8')`,
  'by promise': `fs.promises.readFile(BASE + '/outside.txt', 'utf8')`,
  'by callback': `new Promise((resolve, reject) => fs.open(BASE + '/outside.txt', (error, fd) => error ? reject(error) : resolve(fd)))`,
  'as a stream': `fs.createReadStream(BASE + '/outside.txt').toArray()`,
  'as a blob': `fs.openAsBlob(BASE + '/outside.txt').then((blob) => blob.text())`,
  'a listing': `fs.readdirSync('/')`,
  'a listing as a handle': `fs.opendirSync(BASE).readSync().name`,
  'a look at it': `fs.statSync(BASE + '/outside.txt').size`,
  'a copy of it': `fs.copyFileSync(BASE + '/outside.txt', FOLDER + '/copy.txt')`,
  'a copy of its folder': `fs.cpSync(BASE + '/notebooks-other', FOLDER + '/copy', { recursive: true })`,
  'a link to it': `fs.symlinkSync(BASE + '/outside.txt', FOLDER + '/link.txt')`,
  'a relative link to it': `fs.symlinkSync('../outside.txt', FOLDER + '/relative.txt')`,
  'a hard link to it': `fs.linkSync(BASE + '/outside.txt', FOLDER + '/hard.txt')`,
  'as a module': `builtin('module').createRequire(FOLDER + '/')(BASE + '/outside.json').SECRET`,
  'as an imported module': `import('file://' + BASE + '/outside.json', { with: { type: 'json' } }).then((module) => module.default.SECRET)`,
  'as an environment file': `process.loadEnvFile(BASE + '/outside.txt')`,
  'watching it': `fs.watch(BASE + '/outside.txt').close()`,
} as const

const WRITES = {
  'a file': `fs.writeFileSync(BASE + '/written.txt', 'x')`,
  'a folder': `fs.mkdirSync(BASE + '/written')`,
  'a temporary folder': `fs.mkdtempSync(BASE + '/written-')`,
  'a file moved out': `fs.renameSync(FOLDER + '/inside.txt', BASE + '/written.txt')`,
  'a file copied out': `fs.copyFileSync(FOLDER + '/inside.txt', BASE + '/written.txt')`,
  'a hard link outside': `fs.linkSync(FOLDER + '/inside.txt', BASE + '/written.txt')`,
  'a deletion': `fs.rmSync(BASE + '/outside.txt')`,
  'other rights': `fs.chmodSync(BASE + '/outside.txt', 0o777)`,
  'a database attached from within SQLite': `new (builtin('node:sqlite').DatabaseSync)(':memory:').exec("ATTACH DATABASE '" + BASE + "/written.db' AS x; CREATE TABLE x.t (a)")`,
  'a heap snapshot': `builtin('v8').writeHeapSnapshot(BASE + '/written.heap')`,
  'a report': `process.report.writeReport(BASE + '/written.json')`,
  'a trace': `builtin('trace_events').createTracing({ categories: ['v8'] }).enable()`,
} as const

const PROGRAMS = {
  'a shell': `builtin('child_process').execSync('id')`,
  'a program': `new Promise((resolve, reject) => builtin('child_process').spawn('/bin/true').on('error', reject).on('exit', resolve))`,
  'another Node.js': `builtin('child_process').fork(FOLDER + '/inside.txt')`,
  'a program by its object': `new (builtin('child_process').ChildProcess)().spawn({ file: '/bin/touch', args: ['touch', BASE + '/written.txt'], envPairs: [] })`,
  'a program by the bare handle': `new (builtin('child_process').ChildProcess)()._handle.spawn('/bin/touch', ['touch', BASE + '/written.txt'], undefined, [], [{ type: 'ignore' }], 0)`,
  'a program in place of itself': `process.execve('/bin/true', ['true'])`,
  'a cluster': `builtin('cluster').fork()`,
  'a thread': `new (builtin('worker_threads').Worker)('1', { eval: true })`,
  'a thread with other rights': `new (builtin('worker_threads').Worker)('1', { eval: true, execArgv: ['--allow-fs-read=*'], env: {} })`,
  'an addon': `process.dlopen({ exports: {} }, FOLDER + '/addon.node')`,
  'an addon as a module': `builtin('module').createRequire(FOLDER + '/')('./addon.node')`,
  'an engine of OpenSSL': `builtin('crypto').setEngine(FOLDER + '/addon.node')`,
  'a system interface': `new (builtin('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } })`,
  'an internal binding': `process.binding('spawn_sync')`,
  'an internal binding of files': `process.binding('fs')`,
  'a linked binding': `process._linkedBinding('fs')`,
  'an internal module': `builtin('module').createRequire('/')('internal/child_process')`,
  'a debugger that listens': `builtin('inspector').open(0)`,
  'a debugger within': `new (builtin('inspector').Session)().connect()`,
} as const

const SIGNALS = {
  'a signal to the host': `process.kill(process.ppid, 0)`,
  'a signal by the bare method': `process._kill(process.ppid, 0)`,
  'a signal by the module': `import('node:process').then((module) => module.kill(process.ppid, 0))`,
  "the host's debugger opened": `process._debugProcess(process.ppid)`,
  "the host's priority": `builtin('os').setPriority(process.ppid, 10)`,
  'the method given back': `(() => { 'use strict'; process.kill = () => 1 })()`,
  'the method defined anew': `Object.defineProperty(process, 'kill', { value: () => 1 })`,
} as const

const SOCKETS = {
  'a socket of the host': `new Promise((resolve, reject) => builtin('net').connect(BASE + '/host.sock').on('data', resolve).on('error', reject))`,
  'a socket of the host by HTTP': `new Promise((resolve, reject) => builtin('http').get({ socketPath: BASE + '/host.sock' }, resolve).on('error', reject))`,
  'a socket by the bare handle': `new process.stderr._handle.constructor(0).connect({}, BASE + '/host.sock')`,
  'a socket of its own': `new Promise((resolve, reject) => builtin('net').createServer().on('error', reject).listen(FOLDER + '/own.sock', resolve))`,
  'the way given back': `Object.defineProperty(Object.getPrototypeOf(process.stderr._handle), 'connect', { value: () => 1 })`,
} as const

describe.each([
  ['reading', READS],
  ['writing', WRITES],
  ['starting', PROGRAMS],
  ['signalling', SIGNALS],
])('%s beyond the wall is refused:', (_kind, attempts) => {
  test.each(Object.entries(attempts))('%s', async (_name, expression) => {
    const answer = await inKernel(expression)
    expect(answer).toMatch(/^REFUSED /)
    expect(answer).not.toContain(SECRET)
  })
})

test.each(Object.entries(SOCKETS))('socket files are out of reach: %s', async (_name, expression) => {
  expect(await inKernel(expression)).toMatch(/^REFUSED .*(?:not available in this kernel|Cannot redefine)/)
})

test('nothing of it is left on the disk', async () => {
  expect((await readdir(base)).toSorted()).toEqual([
    'host.sock',
    'notebooks',
    'notebooks-other',
    'outside.json',
    'outside.txt',
  ])
  expect((await readdir(folder)).toSorted()).toEqual(['addon.node', 'inside.txt', 'made.txt'])
})

test('the process has no environment to read', async () => {
  expect(await inKernel(`JSON.stringify(process.env)`)).toBe('DONE {}\n')
})

test.each([
  [
    'a mount of the system',
    `import pyodide_js, os\npyodide_js.mountNodeFS("/host", "/etc")\nprint(os.listdir("/host"))`,
  ],
  ['a step up', `print(open("../../outside.txt").read())`],
  ['a link', `import os\nos.symlink("/etc/passwd", "link")\nprint(open("link").read())`],
  ['a program', `import subprocess\nprint(subprocess.run(["id"]))`],
  ['a shell', `import os\nos.system("id")`],
])('Python itself gets no further: %s', async (_name, code) => {
  const { reply, stream } = await execute(kernel, code)
  expect(reply.content).toMatchObject({ status: 'error' })
  expect(stream('stdout')).not.toContain('root')
})

test('flags of the engine stay as they are: a change ends the process', async () => {
  const { reply } = await execute(
    kernel,
    `from js import process\nprocess.getBuiltinModule("v8").setFlagsFromString("--no-wasm-bounds-checks")`,
  )
  expect(reply.content).toMatchObject({ status: 'error', ename: 'DeadKernelError' })
  expect(await inKernel('1')).toBe('DONE 1\n')
})

test('a program started past all of it is refused too; Python does not survive that, and is started anew', async () => {
  const { reply, stream } = await execute(kernel, 'import posix\nposix.system("id")')
  expect(reply.content).toMatchObject({ status: 'error', ename: 'DeadKernelError' })
  expect(stream('stdout')).toBe('')
  expect(kernel.state()).toBe('restarting')
})

test.each([
  ['to a file outside', '../outside.txt'],
  ['to an absolute path', '/etc/passwd'],
  ['to a folder outside', '/etc'],
  ['to nothing, outside', '../nothing'],
  ['down and up again, which could be moved', 'deep/../inside.txt'],
])('a folder with a link %s gets no kernel, and is told why', async (_name, target) => {
  const linked = await mkdtemp(join(base, 'linked-'))
  await mkdir(join(linked, 'deep'))
  await symlink(target, join(linked, 'deep', 'link'))
  const refused = createPyodideKernels({ logger: createLogger({ level: 'silent', pretty: false }) }).start({
    specName: 'python3',
    folder: linked,
    path: '',
  })
  const { reply } = await execute(refused, 'open("deep/link").read()')
  expect(reply.content).toMatchObject({ status: 'aborted' })
  expect(refused.state()).toBe('dead')
  const again = await execute(refused, '1')
  expect(again.stream('stderr')).toContain('deep/link')
  await refused.close()
})
