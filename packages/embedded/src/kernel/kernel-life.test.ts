import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, execute } from './kernel.fixture.ts'
import type { Kernel, KernelMessage } from './kernel.ts'
import { createPyodideKernels } from './pyodide-kernels.ts'

const pids: number[] = []
const destination = {
  write(line: string) {
    const { pid } = JSON.parse(line)
    if (typeof pid === 'number') pids.push(pid)
  },
}
const kernels = createPyodideKernels({ logger: createLogger({ level: 'debug', pretty: false, destination }) })

let folder: string
let kernel: Kernel

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-kernel-'))
  kernel = kernels.start({ specName: 'python3', folder, path: '' })
})

afterAll(async () => {
  await kernel?.close()
  await rm(folder, { recursive: true, force: true })
})

test('a restart forgets everything and lets finish what was registered', async () => {
  await execute(
    kernel,
    'import atexit\nname = 1\natexit.register(lambda: open("finished.txt", "w").write("yes"))',
  )
  const first = kernel.restart()
  expect(kernel.restart()).toBe(first)
  await first
  expect(kernel.state()).toBe('idle')
  expect((await execute(kernel, 'name')).reply.content).toMatchObject({
    ename: 'NameError',
    execution_count: 1,
  })
  expect(await readFile(join(folder, 'finished.txt'), 'utf8')).toBe('yes')
})

test('a process that dies is replaced, and that is said', async () => {
  const states: unknown[] = []
  const stop = kernel.onMessage(({ header, parent_header, content }: KernelMessage) => {
    if (header.msg_type === 'status' && parent_header.msg_id === undefined)
      states.push(content.execution_state)
  })
  const pid = Number((await execute(kernel, 'import js\nprint(js.process.pid)')).stream('stdout'))
  expect(pid).toBe(pids.at(-1))
  const running = execute(kernel, 'while True: pass')
  const behind = execute(kernel, '1')
  process.kill(pid, 'SIGKILL')
  const { reply, stream } = await running
  expect(reply.content).toMatchObject({ status: 'error', ename: 'DeadKernelError' })
  expect(stream('stderr')).toContain('ended by SIGKILL')
  expect((await behind).reply.content).toEqual({ status: 'aborted' })
  expect(kernel.state()).toBe('restarting')
  const fresh = await execute(kernel, 'name')
  stop()
  expect(fresh.reply.content).toMatchObject({ status: 'error', ename: 'NameError', execution_count: 1 })
  expect(states).toEqual(['restarting', 'idle'])
})

test('code that hears no interrupt loses its process, and that is said', async () => {
  // Python is not asked any more once this is there: an interrupt that comes before would be heard.
  const deaf = join(folder, 'deaf.txt')
  const script = `process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(deaf)}, ''); for (;;) {}`
  const running = execute(kernel, `import js\njs.eval(${JSON.stringify(script)})`)
  await expect.poll(() => existsSync(deaf)).toBe(true)
  await kernel.interrupt()
  const { reply, stream } = await running
  expect(reply.content).toMatchObject({ status: 'error', ename: 'DeadKernelError' })
  expect(stream('stderr')).toContain('did not react to the interrupt')
  expect(kernel.state()).toBe('restarting')
})

test('after a shutdown the kernel is dead and says why it does nothing, and no process is left', async () => {
  const { reply } = await ask(kernel, 'shutdown_request', { restart: false }, 'control').done
  expect(reply.content).toEqual({ status: 'ok', restart: false })
  expect(kernel.state()).toBe('dead')
  const refused = await execute(kernel, '1')
  expect(refused.reply.content).toMatchObject({
    status: 'error',
    evalue: expect.stringContaining('shut down'),
  })
  await kernel.close()
  expect(pids.length).toBeGreaterThanOrEqual(3)
  for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a program that is no Node.js 24 ends in a dead kernel that says so', async () => {
  const broken = createPyodideKernels({
    logger: createLogger({ level: 'silent', pretty: false }),
    nodePath: '/bin/false',
  }).start({ specName: 'python3', folder, path: '' })
  await expect.poll(() => broken.state()).toBe('dead')
  expect((await execute(broken, '1')).reply.content).toMatchObject({
    evalue: expect.stringContaining('ended with code 1 before it was ready'),
  })
  await broken.close()
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
