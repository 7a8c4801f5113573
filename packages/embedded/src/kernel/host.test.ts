import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
let host: ChildProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-host-'))
  host = fork(join(import.meta.dirname, 'host.fixture.ts'), [folder], { execArgv: [], env: {} })
})

afterEach(async () => {
  if (host.exitCode === null && host.signalCode === null) host.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

test('a host is not brought to open its debugger by a signal, and after its kill -9 no kernel is left', async () => {
  const [{ kernelPid }] = await once(host, 'message')
  expect(await isAlive(kernelPid)).toBe(true)
  host.kill('SIGUSR1')
  const [{ held, debuggerUrl }] = await once(host, 'message')
  expect({ held, debuggerUrl }).toEqual({ held: 1, debuggerUrl: null })
  host.kill('SIGKILL')
  await once(host, 'exit')
  await expect.poll(() => isAlive(kernelPid)).toBe(false)
})

/** One that died and that nobody has asked for, as in a container without an init, does not count. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
  } catch {
    return false
  }
}
