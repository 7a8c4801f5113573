import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER, startStdio } from './notebook.fixture.ts'
import {
  connectToPort,
  connectToProgram,
  environmentFor,
  kernelsOn,
  type LongRun,
  longRun,
  type Mode,
  type OfficialClient,
  startOnPort,
} from './notebook-clients.fixture.ts'

const POLL = { timeout: 30_000, interval: 50 }

let jupyter: Jupyter
let server: Awaited<ReturnType<typeof startOnPort>>
beforeAll(async () => {
  jupyter = await startJupyter({ password: 'open-sesame-1' })
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

async function open(mode: Mode): Promise<OfficialClient> {
  const client = await connectToPort(server.url, mode)
  cleanups.push(client.close)
  return client
}
const PROGRAM = [LAUNCHER, 'notebook', 'start']
const create = (name: string) => ({ notebook_name: name, notebook_path: `${name}.ipynb`, mode: 'create' })

/** Runs it in a new notebook of the same name. */
async function run({ call }: OfficialClient, name: string, long: LongRun) {
  expect((await call('use_notebook', create(name))).isError).toBe(false)
  const cell = { cell_index: -1, cell_source: long.code, notebook_name: name }
  return { reply: call('insert_execute_code_cell', cell, long.options) }
}

describe('two clients with one notebook over HTTP', () => {
  beforeAll(async () => {
    const cells = ['a', 'b', 'c'].map((id) => {
      return { id, cell_type: 'code', source: 'n = 0', metadata: {}, outputs: [], execution_count: null }
    })
    const notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }
    await writeFile(join(jupyter.root, 'shared.ipynb'), JSON.stringify(notebook))
  })
  const shared = { notebook_name: 'shared' }
  async function openBoth(): Promise<[OfficialClient, OfficialClient]> {
    const both: [OfficialClient, OfficialClient] = [await open('auto'), await open('legacy')]
    for (const { call } of both) await call('use_notebook', { ...shared, notebook_path: 'shared.ipynb' })
    return both
  }
  const sources = async () => {
    const { cells } = JSON.parse(await readFile(join(jupyter.root, 'shared.ipynb'), 'utf8'))
    return cells.map(({ source }: { source: string | string[] }) => [source].flat().join(''))
  }

  test('who edit different cells lose nothing', async () => {
    verifies('NB-FILE-2')
    const [ada, bob] = await openBoth()
    const count = async ({ call }: OfficialClient, cell_id: string) => {
      for (let n = 0; n < 10; n += 1) {
        const edit = { ...shared, cell_id, old_string: `n = ${n}`, new_string: `n = ${n + 1}` }
        expect(await call('edit_cell_source', edit)).toMatchObject({ isError: false })
      }
    }
    await Promise.all([count(ada, 'a'), count(bob, 'b')])
    expect(await sources()).toEqual(['n = 10', 'n = 10', 'n = 0'])
    expect(await nbformatFault(join(jupyter.root, 'shared.ipynb'))).toBe('')
  })

  test('who edit the same cell: the second is refused, and shown what has changed', async () => {
    verifies('NB-FILE-2', 'NB-REPLY-1')
    const [ada, bob] = await openBoth()
    const cell = { ...shared, cell_id: 'c' }
    for (const { call } of [ada, bob]) await call('read_cell', cell)
    const replies = await Promise.all([
      ada.call('overwrite_cell_source', { ...cell, cell_source: 'by = "ada"' }),
      bob.call('overwrite_cell_source', { ...cell, cell_source: 'by = "bob"' }),
    ])
    const [refused, ...others] = replies.filter(({ isError }) => isError)
    expect(others).toEqual([])
    const winner = replies[0].isError ? 'bob' : 'ada'
    expect(refused?.text).toMatch(/was changed by somebody else/)
    expect(refused?.text).toContain(`-n = 0\n+by = "${winner}"`)
    expect((await sources())[2]).toBe(`by = "${winner}"`)
  })
})

test('a notebook server that restarts in the middle of executions is found again', async () => {
  verifies('NB-EXEC-1', 'NB-EXEC-6', 'NB-LOGIN-8', 'NB-REPLY-1')
  const env = { NOTEBOOK_URL: jupyter.url, NOTEBOOK_PASSWORD: jupyter.password }
  const byPassword = await connectToProgram({ command: process.execPath, args: PROGRAM, env }, 'auto')
  cleanups.push(byPassword.close)
  const runs = await Promise.all(
    Object.entries({ token: await open('legacy'), password: byPassword }).map(async ([name, client]) => {
      const long = longRun(jupyter, name)
      const { reply } = await run(client, name, long)
      await long.hasBegun
      return { name, client, long, reply }
    }),
  )
  const old = await kernelsOn(jupyter)
  // The cookies of the password are worth nothing any more, so that a new login is needed.
  await jupyter.expireCookies()
  const goOn = runs.map(async ({ name, client, long, reply }) => {
    const { isError, text, structured } = await reply
    expect(isError).toBe(true)
    expect(structured).toMatchObject({ status: 'lost' })
    expect(text).toMatch(/has begun\n.*The kernel \S+ is gone/s)
    const code = { code: '6 * 7', notebook_name: name }
    const next = await client.call('execute_code', code)
    expect(next.isError, next.text).toBe(false)
    const [, lost] =
      /^42\n\[KERNEL REPLACED: kernel '(\S+)' is gone .* variables are lost/.exec(next.text) ?? []
    expect(old).toContain(lost)
    expect(await kernelsOn(jupyter)).toContain(next.structured.kernel_id)
    expect(long.runs()).toBe(1)
    expect((await client.call('execute_code', code)).text).toBe('42')
  })
  await Promise.all(goOn)
})

describe('the end of the program while code runs', () => {
  test('over stdio: the client closes it', async () => {
    const before = await kernelsOn(jupyter)
    const { request, end } = await startStdio([], environmentFor(jupyter))
    cleanups.push(() => end('SIGKILL'))
    const call = (name: string, given: object) => request('tools/call', { name, arguments: given })
    await call('use_notebook', create('closed'))
    const long = longRun(jupyter, 'closed')
    call('execute_code', { code: long.code }).catch((error: unknown) => String(error))
    await expect.poll(() => existsSync(join(jupyter.root, 'closed.runs')), POLL).toBe(true)
    expect(await kernelsOn(jupyter)).toHaveLength(before.length + 1)
    expect(await end()).toBe(0)
    expect(await kernelsOn(jupyter)).toEqual(before)
  })

  test('over stdio: the client is killed', async () => {
    const before = await kernelsOn(jupyter)
    const env = environmentFor(jupyter)
    const args = ['--input-type=module', '--eval', IN_BETWEEN, '--', ...PROGRAM]
    const client = await connectToProgram({ command: process.execPath, args, env }, 'legacy')
    cleanups.push(client.close)
    const long = longRun(jupyter, 'orphaned')
    const { reply } = await run(client, 'orphaned', long)
    const lost = expect(reply).rejects.toThrow()
    await long.hasBegun
    const clientPid = Number(client.transport.pid)
    const [program] = childrenOf(clientPid)
    expect(isRunning(program)).toBe(true)
    process.kill(clientPid, 'SIGKILL')
    await lost
    await expect.poll(() => isRunning(program), POLL).toBe(false)
    expect(await kernelsOn(jupyter)).toEqual(before)
  })

  test('over HTTP: SIGTERM lets answers finish for a while, and then cancels calls, which answer with what they have', {
    timeout: 30_000,
  }, async () => {
    const client = await open('auto')
    const [quick, endless] = [longRun(jupyter, 'quick'), longRun(jupyter, 'endless')]
    const [first, second] = [await run(client, 'quick', quick), await run(client, 'endless', endless)]
    const cut = second.reply.catch((error: unknown) => String(error))
    await Promise.all([quick.hasBegun, endless.hasBegun])
    expect((await kernelsOn(jupyter)).length).toBeGreaterThan(1)
    const ended = server.stop('SIGTERM')
    await server.waitFor(/second signal ends at once/, 'stderr')
    await quick.letGo()
    expect(await first.reply).toMatchObject({ isError: false, text: expect.stringContaining('has ended') })
    expect(await ended).toBe(0)
    expect(await kernelsOn(jupyter)).toEqual([])
    expect(await cut).toMatchObject({ isError: true, text: expect.stringContaining('CANCELLED') })
    await client.close()
  })
})

/** A client that does nothing but pass on what is said, to be killed in the place of a real one. */
const IN_BETWEEN = `
import { spawn } from 'node:child_process'
const program = spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
process.stdin.pipe(program.stdin)
program.stdout.pipe(process.stdout)`

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

function isRunning(pid: number | undefined): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

/** What the reference implementation of the format says; empty for a valid notebook. */
async function nbformatFault(path: string): Promise<string> {
  const code = `import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], nbformat.NO_CONVERT))`
  const run = promisify(execFile)('/usr/bin/python3', ['-W', 'error', '-c', code, path], { timeout: 30_000 })
  const { stderr } = await run.catch((error: { stderr: string }) => error)
  return stderr
}
