import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUpFolder, type UpFolder } from './up.fixture.ts'

let folder: UpFolder
beforeEach(async () => {
  folder = await createUpFolder()
})
afterEach(() => folder.remove())

const DEMO = { notebook_name: 'demo', notebook_path: 'demo.ipynb' }
const file = () => readFile(join(folder.notebooks, 'demo.ipynb'), 'utf8')

test('without Jupyter there is a notebook server inside, for clients and for agents, and what is made in it stays', async () => {
  const first = await folder.start()
  expect(first.output.stdout).toContain(`Notebooks are in ${folder.notebooks}, on the embedded server`)
  expect(first.output.stderr).toContain('on the embedded server')
  expect((await stat(folder.notebooks)).mode & 0o777).toBe(0o700)
  const client = await first.session()
  await client.call('use_notebook', { ...DEMO, mode: 'create' })
  const executed = await client.call('insert_execute_code_cell', { cell_index: 0, cell_source: '1+1' })
  expect(executed).toMatch(/(?:^|\n)2(?:\n|$)/)

  expect(await first.prompt(`call notebook__use_notebook with ${JSON.stringify(DEMO)}`)).toMatchObject({
    tool_calls: [{ name: 'notebook__use_notebook' }],
  })
  const cell = { notebook_name: DEMO.notebook_name, cell_index: -1, cell_source: '21 * 2' }
  const asked = `call notebook__insert_execute_code_cell with ${JSON.stringify(cell)}`
  const answer = await first.prompt(asked)
  expect(JSON.stringify(answer)).toMatch(/\b42\b/)
  const long = 'import time; print("begun", flush=True); time.sleep(300)'
  const cut = client.call('insert_execute_code_cell', { cell_index: -1, cell_source: long })
  const other = await first.session()
  await other.call('use_notebook', DEMO)
  await expect
    .poll(() => other.call('read_cell', { cell_index: 2 }), { timeout: 20_000 })
    .toContain('\nbegun')
  // Stopped in the second in which nothing is saved by itself.
  await other.call('insert_cell', { cell_index: -1, cell_type: 'code', cell_source: '"the last word"' })
  expect(await first.stop()).toBe(0)
  expect(await cut).toContain('CANCELLED')
  expect(JSON.parse(await file()).cells).toMatchObject([
    { source: ['1+1'], outputs: [{ data: { 'text/plain': ['2'] } }] },
    { source: ['21 * 2'], outputs: [{ data: { 'text/plain': ['42'] } }] },
    { source: [long], outputs: [{ text: ['begun\n'] }, { ename: 'KeyboardInterrupt' }] },
    { source: ['"the last word"'] },
  ])

  const second = await folder.start()
  const again = await second.session()
  expect(await again.call('use_notebook', DEMO)).toContain('the last word')
  expect(await second.stop()).toBe(0)
})

test('one folder has one server, and the second says who the first is; a server that was killed is in nobody’s way', async () => {
  const first = await folder.start()
  const second = folder.spawn()
  expect(await second.exited).toBe(1)
  expect(second.output.stderr).toMatch(
    new RegExp(`^quire: --notebooks \\(.*notebooks\\): .*\\(process ${first.child.pid}\\).*folder`),
  )
  const other = await folder.start(['--notebooks', join(folder.path, 'other')])
  expect(other.output.stdout).toContain(join(folder.path, 'other'))
  await first.stop('SIGKILL')
  await folder.start()
})

test.each([
  [
    ['--notebooks', 'FILE'],
    {},
    /--notebooks \(.*FILE\): cannot be used as the folder of notebooks .*: name another/,
  ],
  [
    ['--with-jupyter'],
    { NOTEBOOK_URL: 'http://127.0.0.1:9' },
    /--with-jupyter .*http:\/\/127\.0\.0\.1:9.*leave the flag out/,
  ],
])('%j with %j is refused', async (args, env, message) => {
  await mkdir(join(folder.path, 'data'))
  await writeFile(join(folder.path, 'FILE'), '')
  const one = folder.spawn(
    args.map((arg) => (arg === 'FILE' ? join(folder.path, arg) : arg)),
    env,
  )
  expect(await one.exited).toBe(1)
  expect(one.output.stderr).toMatch(message)
  expect(one.output.stderr).not.toMatch(/\n\s+at /)
})

test('the server that the environment names comes first, and --notebooks is then said not to count', async () => {
  const one = await folder.start(['--notebooks', '/nowhere'], { NOTEBOOK_URL: 'http://127.0.0.1:9' })
  expect(one.output.stdout).toContain('Notebooks are on the server http://127.0.0.1:9\n')
  expect(one.output.stderr).toContain('--notebooks is not used')
})

test('an agent asks before it leads the notebooks to another server', async () => {
  const one = await folder.start()
  const call = 'call notebook__connect_to_jupyter with {"jupyter_url": "http://127.0.0.1:9"}'
  expect(await one.prompt(call)).toMatchObject({ status: 'waiting' })
})
