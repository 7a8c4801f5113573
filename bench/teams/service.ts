import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgres } from '@quire/testbed/postgres'
import { type BenchServer, startServer } from '../child.ts'

export interface BenchDatabase {
  readonly kind: 'sqlite' | 'postgres'
  readonly url: string
  drop(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, 'quire-server.ts')
const POLL_MS = 20
const DEADLINE_MS = 600_000

export const MEMBERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const

export async function createFile(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  return {
    kind: 'sqlite',
    url: `sqlite:${join(folder, 'quire.db')}`,
    drop: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** It does not wait for its disk: what is measured is us. */
export async function createCluster(): Promise<BenchDatabase> {
  const { url, stop } = await startPostgres()
  return { kind: 'postgres', url, drop: stop }
}

export function startService({ url }: BenchDatabase): Promise<BenchServer> {
  return startServer(PROGRAM, { QUIRE_BENCH_DATABASE: url })
}

/** Its path. The members are given tasks side by side. */
export async function createTeam(port: number, model: 'instant' | 'held', isStarted = true): Promise<string> {
  const members = MEMBERS.map((name) => ({ name, model: `scripted:${model}` }))
  const { team_id } = await call(port, 'POST', '/teams', {
    name: 'Bench',
    execution_mode: 'parallel',
    members,
  })
  if (isStarted) await call(port, 'POST', `/teams/${team_id}/start`)
  return `/teams/${team_id}`
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the benchmarks look into
export async function call(port: number, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

export async function untilDone(port: number, team: string): Promise<void> {
  await until(async () => (await call(port, 'GET', `${team}/metrics`)).tasks_pending === 0)
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`it was not so within ${DEADLINE_MS} ms`)
    await wait(POLL_MS)
  }
}

export function toPost(path: string, body: object): string {
  const text = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
