import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess } from '@quire/testbed/process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRuntimeFolder } from './runtime.fixture.ts'

const launcher = fileURLToPath(new URL('../bin/quire.mjs', import.meta.url))
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const quire = async (args: string[], nodeArgs: string[] = []) => {
  const running = startProcess(process.execPath, [...nodeArgs, launcher, ...args], {
    env: { HOME: '/nonexistent' },
  })
  return { code: await running.exited, ...running.output }
}
/** Makes Node call itself 20, so that the launcher looks for the one installed beside it. */
const pretendOld = [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})`,
]

test('prints the version', async () => {
  expect(await quire(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(await quire(['-V'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('without a command, and when asked, it tells what it can do', async () => {
  for (const args of [[], ['--help']]) {
    const { code, stdout } = await quire(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/Usage: quire .*First steps:/s)
  }
})

test('lists no command that does not exist yet', async () => {
  const { stdout } = await quire(['--help'])
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
  expect([...new Set(commands)].sort()).toEqual([
    'composer',
    'notebook',
    'quire',
    'runtime',
    'teams',
    'token',
    'up',
  ])
})

test('a mistyped command is an error that helps', async () => {
  const { code, stderr } = await quire(['tokn'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/unknown command 'tokn'.*Did you mean token\?/s)
})

test.each([
  [['runtime', 'serve', '--prot', '1'], 'quire runtime serve'],
  [['runtime', 'keys', 'list', '--jsn'], 'quire runtime keys list'],
  [['up', '--nonsense'], 'quire up'],
])('an unknown option of %j names the help of its command', async (args, path) => {
  const { code, stderr } = await quire(args)
  expect(code).toBe(1)
  expect(stderr).toContain(`("${path} --help" lists what there is)`)
})

test('on a Node that is too old it starts itself on the one beside it', async () => {
  const { code, stdout } = await quire(['token', 'where', '--data', '/somewhere'], pretendOld)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '/somewhere/token\n' })
})

describe('in a clone where nothing is installed yet', () => {
  let clone: string
  beforeAll(async () => {
    clone = await realpath(await mkdtemp(join(tmpdir(), 'quire-clone-')))
    for (const part of ['bin', 'src', 'package.json'])
      await cp(fileURLToPath(new URL(`../${part}`, import.meta.url)), join(clone, 'packages/cli', part), {
        recursive: true,
      })
  })
  afterAll(() => rm(clone, { recursive: true, force: true }))

  test.each([
    ['on a new Node', [], /^quire: the package \S+ is not installed: run "npm install" in (\S+) once.*\n$/],
    [
      'on an old Node',
      pretendOld,
      /^quire: Node 20\.20\.2 is too old.*: run "npm install" in (\S+) once, or install Node 22\.18 or newer\.\n$/,
    ],
  ])('it says what to do in one line, %s', async (_what, nodeArgs, expected) => {
    const launched = join(clone, 'packages/cli/bin/quire.mjs')
    const running = startProcess(process.execPath, [...nodeArgs, launched, 'runtime', 'serve'])
    expect(await running.exited).toBe(1)
    expect(expected.exec(running.output.stderr)?.[1], running.output.stderr).toBe(clone)
    expect(running.output.stdout).toBe('')
  })
})

test('and hands on the exit code and signals', async () => {
  expect((await quire(['up', '--port', 'x'], pretendOld)).code).toBe(1)
  const folder = await createRuntimeFolder()
  const args = ['up', '--port', '0', '--insecure-noauth', '--data', folder.path]
  const running = startProcess(process.execPath, [...pretendOld, launcher, ...args])
  await running.waitFor(/Quire is at/)
  expect(await running.stop('SIGTERM')).toBe(0)
  await folder.remove()
})

test('and ends with it, in an orderly way, also when that is killed', async () => {
  const folder = await createRuntimeFolder({ sample: true })
  const args = ['runtime', 'serve', '--port', '0', '--data', folder.path]
  const running = startProcess(process.execPath, [...pretendOld, launcher, ...args])
  let sample = 0
  try {
    const [, url] = await running.waitFor(/The agent runtime is at (\S+)\/api\/v1,/)
    await expect.poll(() => existsSync(folder.file('sample.starts'))).toBe(true)
    sample = Number(readFileSync(folder.file('sample.starts'), 'utf8').trim().split('\n').at(-1))
    expect(isRunning(sample)).toBe(true)
    running.child.kill('SIGKILL')
    // The output is the child's as well: it ends with it.
    await running.exited
    expect(running.output.stderr).toContain('stopping')
    await expect(fetch(`${url}/api/v1/health`)).rejects.toThrow()
    await expect.poll(() => isRunning(sample)).toBe(false)
  } finally {
    await running.stop('SIGKILL')
    await folder.remove()
  }
})

/** A zombie answers `kill -0`, so the kernel's own record is asked. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
