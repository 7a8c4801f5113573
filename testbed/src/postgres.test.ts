import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from './postgres.ts'
import { createTestDatabase } from './test-database.ts'

const fixture = new URL('./postgres.fixture.ts', import.meta.url).pathname
const portOf = (url: string) => new URL(url).port

/** Whether a process has the command line of a server on that port; what has ended but was not waited for has none. */
async function isServed(port: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    // A process may end while we look.
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.some((line) => line.includes('postgres') && line.split('\0').includes(port))
}

test('a cluster answers, and nothing of it is left when it was stopped', async () => {
  const cluster = await startPostgres()
  onTestFinished(() => cluster.stop())
  await cluster.execute('create table t (id integer)')
  await expect(cluster.execute('select * from nowhere')).rejects.toThrow('nowhere')
  expect(await isServed(portOf(cluster.url))).toBe(true)
  await Promise.all([cluster.stop(), cluster.stop()])
  expect(await isServed(portOf(cluster.url))).toBe(false)
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`quire-postgres-${process.pid}-`))
  expect(left).toStrictEqual([])
})

test('a cluster dies with the run that was killed, and the next run removes its files', async () => {
  const run = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void run.kill('SIGKILL'))
  const [line] = await once(run.stdout.setEncoding('utf8'), 'data', { signal: AbortSignal.timeout(30_000) })
  const port = portOf(String(line).trim())
  expect(await isServed(port)).toBe(true)
  run.kill('SIGKILL')
  await once(run, 'exit')
  await vi.waitFor(async () => expect(await isServed(port)).toBe(false), { timeout: 30_000 })
  await (await startPostgres()).stop()
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`quire-postgres-${run.pid}-`))
  expect(left).toStrictEqual([])
})

test('says what to install where there is no PostgreSQL', async () => {
  await expect(startPostgres('/nowhere')).rejects.toThrow('apt-get install postgresql')
})

test('every test database is a new one and may be dropped twice', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  expect(one.url).not.toBe(other.url)
  await Promise.all([one.drop(), other.drop()])
  await one.drop()
})
