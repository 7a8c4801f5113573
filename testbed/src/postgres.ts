import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type PostgresCluster = {
  /** Of the maintenance database, as superuser. */
  readonly url: string
  /** Runs one statement in the maintenance database. */
  execute(sql: string): Promise<void>
  stop(): Promise<void>
}

const run = promisify(execFile)
const FOLDER = 'quire-postgres-'
const START_DEADLINE_MS = 30_000
const STOP_DEADLINE_MS = 5_000
/** Nothing of the caller's: a PGHOST or a locale of his must not reach the cluster. */
const environment = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
}

/** A temporary cluster on loopback that dies with this process, however this process ends. */
export async function startPostgres(installed = '/usr/lib/postgresql'): Promise<PostgresCluster> {
  const binaries = await findBinaries(installed)
  await removeStaleFolders()
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`))
  try {
    if (isRoot()) await run('chown', ['postgres', folder])
    const data = join(folder, 'data')
    const [initdb = '', ...initdbArguments] = asChild('KILL', [
      join(binaries, 'initdb'),
      ...['--pgdata', data, '--no-sync', '--auth', 'trust', '--username', 'postgres', '--encoding', 'UTF8'],
      ...['--no-locale', '--no-instructions'],
    ])
    await run(initdb, initdbArguments, { cwd: '/', env: environment, timeout: START_DEADLINE_MS })
    const port = await findFreePort()
    const server = await startServer(join(binaries, 'postgres'), folder, data, port)
    return createCluster(server, binaries, folder, port)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function createCluster(
  server: ChildProcess,
  binaries: string,
  folder: string,
  port: number,
): PostgresCluster {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let stopping: Promise<void> | undefined
  return Object.freeze({
    url,
    async execute(sql: string) {
      const options = ['--no-psqlrc', '--quiet', '--dbname', url, '--command', sql]
      await run(join(binaries, 'psql'), options, { env: environment, timeout: START_DEADLINE_MS })
    },
    stop() {
      stopping ??= stopServer(server).finally(() => rm(folder, { recursive: true, force: true }))
      return stopping
    },
  })
}

async function startServer(
  binary: string,
  folder: string,
  data: string,
  port: number,
): Promise<ChildProcess> {
  const [command = '', ...commandArguments] = asChild('QUIT', [
    binary,
    ...['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  const server = spawn(command, commandArguments, {
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`PostgreSQL did not start: ${why}.\n${log}`))
    const deadline = setTimeout(() => {
      server.kill('SIGKILL')
      fail(`it was not ready after ${START_DEADLINE_MS / 1000} s`)
    }, START_DEADLINE_MS)
    server.once('error', (error) => fail(error.message))
    server.once('exit', (code, signal) => {
      clearTimeout(deadline)
      fail(`it ended with ${signal ?? `code ${code}`}`)
    })
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log = (log + chunk).slice(-4096)
      if (!log.includes('ready to accept connections')) return
      clearTimeout(deadline)
      resolve()
    })
  })
  return server
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGINT')
  const deadline = setTimeout(() => server.kill('SIGQUIT'), STOP_DEADLINE_MS)
  await exited
  clearTimeout(deadline)
}

/** The kernel sends the signal when we end, even by kill -9; root becomes the user that PostgreSQL insists on. */
function asChild(signal: 'KILL' | 'QUIT', command: readonly string[]): string[] {
  const user = isRoot() ? ['--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  return ['setpriv', ...user, '--pdeathsig', signal, '--', ...command]
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

async function findBinaries(installed: string): Promise<string> {
  const versions = existsSync(installed) ? await readdir(installed) : []
  const newest = versions
    .filter((version) => existsSync(join(installed, version, 'bin', 'postgres')))
    .sort((one, other) => Number(other) - Number(one))[0]
  if (newest !== undefined) return join(installed, newest, 'bin')
  throw new Error(
    'This test needs PostgreSQL and there is none on this machine: run "apt-get install postgresql" (or "npm test", which installs it).',
  )
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string')
    throw new Error('The probe for a free port has no port.')
  return address.port
}

/** What a run that was killed could not remove. */
async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^quire-postgres-(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
