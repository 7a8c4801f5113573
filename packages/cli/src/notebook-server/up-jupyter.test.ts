import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runTeams } from '../teams.fixture.ts'
import { findJupyter } from './find-jupyter.ts'
import { createUpFolder, type RunningUp, TOKEN, type UpFolder } from './up.fixture.ts'

const DEMO = { notebook_name: 'demo', notebook_path: 'demo.ipynb' }
const RUN = 'call notebook__execute_code with {"code": "21 * 2"}'

let folder: UpFolder
let up: RunningUp
beforeAll(async () => {
  folder = await createUpFolder()
  up = await folder.start(['--with-jupyter'])
})
afterAll(() => folder.remove())

/** Processes that work for the notebooks of this test: its server and its kernels. */
async function helpers(): Promise<readonly { readonly pid: number; readonly command: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const cwd = await readlink(`/proc/${pid}/cwd`)
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
        return cwd.startsWith(folder.notebooks) ? [{ pid: Number(pid), command }] : []
      } catch {
        // It ended while we looked.
        return []
      }
    }),
  )
  return found.flat()
}

const serverPid = async () => (await helpers()).find(({ command }) => command.includes('jupyter-server'))?.pid
const value = async (client: Awaited<ReturnType<RunningUp['session']>>, code: string) =>
  client.call('execute_code', { code })

test('the Jupyter of this machine serves the folder, and nobody sees its token', async () => {
  expect(up.output.stdout).toMatch(
    /^Notebooks are in .*notebooks, on Jupyter \(\/.*jupyter-server\), whose kernels can do all/m,
  )
  const client = await up.session()
  await client.call('use_notebook', { ...DEMO, mode: 'create' })
  expect(await client.call('insert_execute_code_cell', { cell_index: 0, cell_source: '1+1' })).toMatch(/^2$/m)
  const seen = await value(
    client,
    'import os; sorted(name for name in os.environ if "TOKEN" in name or "QUIRE" in name)',
  )
  expect(seen).toContain("['QUIRE_JUPYTER']")
  const commands = (await helpers()).map(({ command }) => command).join('\n')
  expect(commands).toContain('ipykernel')
  expect(commands).not.toMatch(/quire_[A-Za-z0-9_-]{20}/)
  expect(up.output.stderr).not.toMatch(/quire_[A-Za-z0-9_-]{20}/)
})

test('an agent asks before it runs code there, unless its definition says otherwise', async () => {
  const asked = await up.prompt(RUN)
  expect(asked).toMatchObject({ status: 'waiting' })
  const { pending_approvals } = await up.send('GET', `/runtime/api/v1/conversations/${asked.conversation_id}`)
  expect(pending_approvals).toMatchObject([{ name: 'notebook__execute_code', arguments: { code: '21 * 2' } }])
  const [{ call_id }] = pending_approvals
  const path = `/runtime/api/v1/conversations/${asked.conversation_id}`
  await up.send('POST', `${path}/approvals/${call_id}`, { approved: true })
  await expect
    .poll(async () => JSON.stringify(await up.send('GET', path)), { timeout: 20_000 })
    .toMatch(/\b42\b/)
  expect(await up.prompt('call notebook__list_notebooks')).toMatchObject({ status: 'complete' })

  for (const tool_approval of [undefined, false]) {
    const agent = { id: `says-${tool_approval}`, name: 'A', mcp_toolsets: ['*'], tool_approval }
    await up.send('POST', '/runtime/api/v1/agents', agent)
    const { status } = await up.prompt(RUN, agent.id)
    expect([tool_approval, status]).toEqual([tool_approval, 'waiting'])
  }
})

test('a member of a team may not run code there, and its result says why', async () => {
  const body = {
    name: 'T',
    execution_mode: 'parallel',
    members: [{ name: 'one', mcp_toolsets: ['notebook'] }],
  }
  await up.send('POST', '/teams/teams', body)
  const env = { TEAMS_URL: `${up.url}/teams`, TEAMS_API_KEY: TOKEN }
  expect((await runTeams(['start', 'T'], env)).code).toBe(0)
  const { stdout } = await runTeams(['assign', 'T', RUN, '--to', 'one', '--wait'], env)
  expect(stdout).toContain('--allow-host-execution')
  expect(stdout).not.toMatch(/\b42\b/)
})

test('a Jupyter that dies is started again, its kernels do not stay behind, and the tools go on', async () => {
  const before = await helpers()
  process.kill((await serverPid()) ?? 0, 'SIGKILL')
  await up.waitFor(/Jupyter has ended, and is started again/, 'stderr')
  await up.waitFor(/Jupyter is back/, 'stderr', 30_000)
  const after = (await helpers()).map(({ pid }) => pid)
  expect(before.filter(({ pid }) => after.includes(pid))).toEqual([])
  const client = await up.session()
  await client.call('use_notebook', DEMO)
  expect(await value(client, '6 * 7')).toMatch(/^42$/m)
})

test('killed outright it leaves no server, no kernel and nothing that a kernel started', async () => {
  const client = await up.session()
  await client.call('use_notebook', DEMO)
  const start = 'import subprocess; subprocess.Popen(["/bin/sleep", "600"], start_new_session=True).pid'
  const [pid] = /^\d+$/m.exec(await value(client, start)) ?? []
  expect((await helpers()).map((one) => one.pid)).toContain(Number(pid))
  await up.stop('SIGKILL')
  await expect.poll(helpers).toEqual([])
})

test('--allow-host-execution lets agents go ahead, and an orderly end leaves nothing', async () => {
  const allowing = await folder.start(['--with-jupyter', '--allow-host-execution'])
  expect(await allowing.prompt(RUN)).toMatchObject({ status: 'complete' })
  expect(await allowing.stop()).toBe(0)
  expect(await helpers()).toEqual([])
})

test('where there is none, it is said how to get one', async () => {
  await expect(findJupyter('/nowhere', [['jupyter-server', []]])).rejects.toThrow(
    /^--with-jupyter \(PATH=\/nowhere\): there is no jupyter-server on this machine: install one .*, or leave the flag out/,
  )
})

test('one that does not start is told with its last words, without the token', async () => {
  const other = await createUpFolder()
  onTestFinished(() => other.remove())
  const file = join(other.path, 'jupyter-server')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a parameter of the shell
  await writeFile(file, '#!/bin/sh\necho "out of luck"; /bin/cat "${1#--config=}"; exit 3\n', { mode: 0o755 })
  const one = other.spawn(['--with-jupyter'], { PATH: other.path })
  expect(await one.exited).toBe(1)
  expect(one.output.stderr).toMatch(
    /^quire: --with-jupyter \(.*\): .* ended at its start \(code 3\); it said: out of luck/,
  )
  expect(one.output.stderr).toContain('leave the flag out to use the embedded notebook server')
  expect(one.output.stderr).not.toMatch(/quire_[A-Za-z0-9_-]{20}|\n\s+at /)
})
