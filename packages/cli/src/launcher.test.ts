import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startProcess } from '@quire/testbed/process'
import { expect, test } from 'vitest'

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
  expect([...new Set(commands)].sort()).toEqual(['composer', 'notebook', 'quire', 'runtime', 'token', 'up'])
})

test('a mistyped command is an error that helps', async () => {
  const { code, stderr } = await quire(['tokn'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/unknown command 'tokn'.*Did you mean token\?/s)
})

test('on a Node that is too old it starts itself on the one beside it', async () => {
  const { code, stdout } = await quire(['token', 'where', '--data', '/somewhere'], pretendOld)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '/somewhere/token\n' })
})

test('and hands on the exit code and signals', async () => {
  expect((await quire(['up', '--port', 'x'], pretendOld)).code).toBe(1)
  const running = startProcess(process.execPath, [
    ...pretendOld,
    launcher,
    'up',
    '--port',
    '0',
    '--insecure-noauth',
  ])
  await running.waitFor(/Quire is at/)
  expect(await running.stop('SIGTERM')).toBe(0)
})
