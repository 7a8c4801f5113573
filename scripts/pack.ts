// Makes an installable tarball: Node does not strip types under node_modules, so what is published is emitted JavaScript. The workspace's own packages
// travel inside it as bundled dependencies, and the pages of the API documentation as plain files.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { docsPackageFiles } from '@quire/kit/docs/assets'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

const root = join(import.meta.dirname, '..')
const scope = '@quire/'
/** Copied into the tarball, file by file. */
const documentation = ['redoc', 'swagger-ui-dist']
const output = resolve(process.argv[2] ?? join(root, 'dist'))
const emitted = join(output, 'emitted')
const staged = join(output, 'package')

rmSync(emitted, { recursive: true, force: true })
rmSync(staged, { recursive: true, force: true })
mkdirSync(staged, { recursive: true })
run('tsc', ['-p', 'tsconfig.pack.json', '--outDir', emitted])

const cli = readManifest('cli')
const bundled = closure(cli)
for (const name of bundled) stage(name, join(staged, 'node_modules', scope, name))
stageCli()
cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'))
cpSync(join(root, 'README.md'), join(staged, 'README.md'))
run('npm', ['pack', staged, '--pack-destination', output, '--silent'])
rmSync(emitted, { recursive: true })
rmSync(staged, { recursive: true })

function stageCli(): void {
  const { optionalDependencies } = readManifest('..')
  const dependencies = Object.assign(
    {},
    cli.dependencies,
    ...bundled.map((name) => published(readManifest(name))),
  )
  const manifest = {
    ...cli,
    private: undefined,
    devDependencies: undefined,
    engines: { node: '>=20.19' },
    dependencies,
    optionalDependencies,
    bundleDependencies: bundled.map((name) => `${scope}${name}`),
  }
  cpSync(join(root, 'packages/cli/bin'), join(staged, 'bin'), { recursive: true })
  cpSync(join(emitted, 'cli/src'), join(staged, 'src'), { recursive: true })
  cpSync(join(root, 'packages/web/dist'), join(staged, 'web'), { recursive: true })
  writeManifest(staged, manifest)
}

function stage(name: string, folder: string): void {
  const manifest = readManifest(name)
  const exports = Object.fromEntries(
    Object.entries(manifest.exports ?? {}).map(([key, path]) => [key, path.replace(/\.ts$/, '.js')]),
  )
  mkdirSync(folder, { recursive: true })
  cpSync(join(emitted, name, 'src'), join(folder, 'src'), { recursive: true })
  if (name === 'notebook') stageExtension(join(folder, 'extension'))
  if (name === 'kit') stageDocumentation(join(folder, 'assets'))
  writeManifest(folder, {
    ...manifest,
    devDependencies: undefined,
    exports,
    dependencies: published(manifest),
  })
}

/** What a notebook server loads is Python, and needs nothing but to be there. */
function stageExtension(folder: string): void {
  const source = join(root, 'packages/notebook/extension')
  for (const file of globSync('**/*.py', { cwd: source })) cpSync(join(source, file), join(folder, file))
}

function stageDocumentation(folder: string): void {
  for (const [name, file] of Object.entries(docsPackageFiles))
    cpSync(join(root, 'node_modules', file), join(folder, name))
}

/** Names of the workspace packages that this one stands on, directly or not. */
function closure(manifest: Manifest): string[] {
  const direct = Object.keys(manifest.dependencies ?? {})
    .filter((name) => name.startsWith(scope))
    .map((name) => name.slice(scope.length))
  return [...new Set(direct.flatMap((name) => [name, ...closure(readManifest(name))]))]
}

function published({ dependencies = {} }: Manifest): Record<string, string> {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !documentation.includes(name)))
}

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`)
}
