import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresCluster, startPostgres } from '@quire/testbed/postgres'

export interface RestartedPostgres {
  readonly url: string
  /** As its owner does before he updates it: whoever is connected is cut off. */
  halt(): Promise<void>
  goOn(): Promise<void>
  stop(): Promise<void>
}

const DEADLINE_MS = 15_000

/** A cluster of its own that can be stopped and started again, with all that is in it. */
export async function startRestartedPostgres(): Promise<RestartedPostgres> {
  const cluster = await startPostgres()
  const server = await findServer(cluster)
  let child: ChildProcess | undefined

  return Object.freeze({
    url: cluster.url,
    async halt() {
      process.kill(child?.pid ?? server.pid, 'SIGINT')
      const deadline = Date.now() + DEADLINE_MS
      while (await isUp(cluster)) {
        if (Date.now() > deadline) throw new Error('PostgreSQL did not stop.')
        await delay(20)
      }
    },
    async goOn() {
      const user = process.getuid?.() === 0 ? ['--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
      // It dies with us, and nothing of the caller's environment reaches it.
      const [command = '', ...args] = ['setpriv', ...user, '--pdeathsig', 'QUIT', '--', ...server.command]
      child = spawn(command, args, {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
        stdio: 'ignore',
      })
      const deadline = Date.now() + DEADLINE_MS
      while (!(await isUp(cluster))) {
        if (Date.now() > deadline) throw new Error('PostgreSQL did not start again.')
        await delay(20)
      }
    },
    async stop() {
      if (child && child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGQUIT')
        await exited
      }
      await cluster.stop()
    },
  } satisfies RestartedPostgres)
}

function isUp(cluster: PostgresCluster): Promise<boolean> {
  return cluster.execute('select 1').then(
    () => true,
    () => false,
  )
}

async function findServer({ url }: PostgresCluster): Promise<{ pid: number; command: string[] }> {
  const { port } = new URL(url)
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // A process may end while we look.
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const command = line.split('\0').slice(0, -1)
    if (command[0]?.endsWith('/postgres') && command.includes(port)) return { pid: Number(pid), command }
  }
  throw new Error(`There is no PostgreSQL on port ${port}.`)
}
