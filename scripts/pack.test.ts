import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startJupyter } from '@quire/testbed/jupyter'
import { startProcess } from '@quire/testbed/process'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

const root = join(import.meta.dirname, '..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-pack-'))
  execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), folder], { stdio: 'pipe' })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball'
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  execFileSync(
    'npm',
    ['install', `./${tarball}`, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: folder,
      stdio: 'pipe',
    },
  )
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the tarball installs into an empty folder and prints its version', async () => {
  const quire = startProcess(join(folder, 'node_modules/.bin/quire'), ['--version'], { cwd: folder })
  expect(await quire.exited).toBe(0)
  const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
    version: string
  }
  expect(quire.output.stdout).toBe(`${version}\n`)
})

test('what is installed starts, answers and stops', async () => {
  const quire = startProcess(join(folder, 'node_modules/.bin/quire'), ['up', '--port', '0'], {
    cwd: folder,
    env: { QUIRE_DATA_DIR: join(folder, 'data') },
  })
  const [, url] = await quire.waitFor(/Quire is at (\S+)\//)
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'healthy' })
  expect(await quire.stop()).toBe(0)
})

test('it brings emitted JavaScript alone, and none of the packages that only build documentation', () => {
  const bundled = join(folder, 'node_modules/@quire/cli/node_modules/@quire/kit')
  const files = readdirSync(bundled, { recursive: true, encoding: 'utf8' })
  expect(files.filter((name) => /(?<!\.d)\.ts$|\.test\.|\.fixture\./.test(name))).toEqual([])
  expect(files).toContain('src/serve/serve.js')
  expect(files.filter((name) => name.startsWith('assets/')).sort()).toEqual([
    'assets/redoc.standalone.js',
    'assets/swagger-ui-bundle.js',
    'assets/swagger-ui.css',
  ])
  expect(readdirSync(join(folder, 'node_modules'))).not.toContain('redoc')
})

test('the pages of the documentation come from the files that it carries', async () => {
  const code =
    "const { createDocsAssets } = await import('@quire/kit/docs/assets'); console.log((await createDocsAssets().load('redoc.standalone.js')).body.length)"
  const node = startProcess(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(folder, 'node_modules/@quire/cli'),
  })
  expect(await node.exited).toBe(0)
  expect(Number(node.output.stdout)).toBeGreaterThan(100_000)
})

test('a notebook server loads the extension that it carries', async () => {
  const carried = join(folder, 'node_modules/@quire/cli/node_modules/@quire/notebook/extension')
  const own = globSync('**/*.py', { cwd: join(root, 'packages/notebook/extension') })
  expect(readdirSync(join(carried, 'quire_notebook')).sort()).toEqual(
    own.map((path) => path.split('/').at(-1)).sort(),
  )
  const jupyter = await startJupyter({})
  onTestFinished(() => jupyter.stop())
  const config = join(dirname(jupyter.root), 'config')
  const args = ['notebook', 'install-extension', '--config-dir', config]
  const quire = startProcess(join(folder, 'node_modules/.bin/quire'), args, { cwd: folder })
  expect(await quire.exited).toBe(0)
  expect(quire.output.stdout).toContain(carried)
  // The server of the test bed is told its configuration file, and of this folder reads only what all programs of Jupyter have in common.
  writeFileSync(join(config, 'jupyter_config.py'), 'load_subconfig("jupyter_server_config.py")')
  await jupyter.restart()
  const headers = { authorization: `Bearer ${jupyter.token}` }
  const list = () => fetch(`${jupyter.url}/mcp/tools/list`, { headers })
  const answer = await vi.waitUntil(async () => [await list()].find(({ ok }) => ok), { timeout: 30_000 })
  expect(JSON.stringify(await answer.json())).toContain('"use_notebook"')
})
