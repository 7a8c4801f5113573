// Installs what is missing: npm packages always, foreign clients and Debian packages for the tests with --test, the gateways of others with --bench. Plain JavaScript without
// dependencies, because it runs before there are any, on whatever Node (20 or newer) the machine has.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** The real peers that the tests talk to: how each is recognised, and the Debian package that brings it. */
const peers = [
  {
    name: 'PostgreSQL',
    package: 'postgresql',
    isThere: () => hasEntry('/usr/lib/postgresql', 'bin/postgres'),
  },
  {
    name: 'Chromium',
    package: 'chromium-headless-shell',
    isThere: () => existsSync('/usr/bin/chromium-headless-shell'),
  },
  { name: 'Jupyter Server', package: 'jupyter-server', isThere: () => existsSync('/usr/bin/jupyter-server') },
  {
    name: 'the Python kernel',
    package: 'python3-ipykernel',
    isThere: () => existsSync('/usr/lib/python3/dist-packages/ipykernel'),
  },
  { name: 'JupyterHub', package: 'jupyterhub', isThere: () => existsSync('/usr/bin/jupyterhub') },
]

try {
  checkNode()
  installPackages(root, 'npm packages (half a minute on a first run)')
  if (process.argv.includes('--test')) {
    installPackages(join(root, 'testbed', 'foreign'), 'the MCP clients of others that the tests run')
    installPeers()
  }
  if (process.argv.includes('--bench'))
    installPackages(join(root, 'bench', 'peers'), 'the gateways of others that the benchmarks run')
} catch (error) {
  process.stderr.write(`setup: ${error.message}\n`)
  process.exitCode = 1
}

function checkNode() {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < 20)
    throw new Error(`Node ${process.version} is too old. Install Node 20 or newer and run this again.`)
}

function installPackages(folder, what) {
  if (isInstalled(folder)) return
  say(`installing ${what} …`)
  const npm = process.env.npm_execpath
  const node = process.env.npm_node_execpath ?? process.execPath
  const args = ['ci', '--ignore-scripts', '--loglevel=error']
  const result = npm ? run(node, [npm, ...args], { cwd: folder }) : run('npm', args, { cwd: folder })
  if (result.status !== 0)
    throw new Error(
      `"npm ci" in ${folder} failed; its own words are above. Check the network and the lockfile, then run this again.`,
    )
}

/** Compares what is installed with the lockfile by integrity: a stamp file would not notice an `npm ci` by hand. */
function isInstalled(folder) {
  const wanted = readPackages(join(folder, 'package-lock.json'))
  const present = readPackages(join(folder, 'node_modules', '.package-lock.json'))
  if (!wanted || !present) return false
  const pinnedNode = `node_modules/node-${process.platform}-${process.arch}`
  if (wanted[pinnedNode] && !present[pinnedNode]) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link || !path.startsWith('node_modules/')) return true
    const there = present[path]
    return there
      ? there.integrity === entry.integrity
      : Boolean(entry.optional || entry.peer || entry.devOptional)
  })
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

function installPeers() {
  const missing = peers.filter((peer) => !peer.isThere())
  if (missing.length === 0) return
  const packages = missing.map((peer) => peer.package)
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`
  const names = missing.map((peer) => peer.name).join(', ')
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`the tests need ${names}. On Debian or Ubuntu, run as root: ${command}`)
  }
  say(`installing ${names} (a minute or two on a first run) …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = ['-qq', '-o', 'DPkg::Lock::Timeout=900', '-o', 'Dpkg::Use-Pty=0']
  run('apt-get', [...apt, 'update'], { env })
  const install = [...apt, 'install', '--yes', '--no-install-recommends', ...packages]
  const result = run('apt-get', install, { env })
  if (result.status !== 0) throw new Error(`"${command}" failed; its own words are above.`)
}

function run(command, args, { cwd = root, env = process.env }) {
  return spawnSync(command, args, { cwd, stdio: ['ignore', process.stderr.fd, process.stderr.fd], env })
}

function hasEntry(folder, file) {
  return existsSync(folder) && readdirSync(folder).some((entry) => existsSync(join(folder, entry, file)))
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`)
}
