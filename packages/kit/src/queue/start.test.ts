import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { testDatabases } from '@quire/testbed/test-databases'
import { expect, onTestFinished, test } from 'vitest'

const FIXTURE = new URL('./start.fixture.ts', import.meta.url).pathname
const DEADLINE_MS = 20_000

const rounds = testDatabases.flatMap(({ kind, createDatabase }) =>
  (kind === 'postgres' ? [1, 2, 3, 4] : [1]).map((round) => ({ kind, round, createDatabase })),
)

test.each(rounds)(
  'processes that start at once on a fresh $kind all come up ($round)',
  async ({ createDatabase }) => {
    const { url, drop } = await createDatabase()
    onTestFinished(drop)
    const processes = [1, 2, 3].map(() => {
      const child = spawn(process.execPath, [FIXTURE, url], { stdio: ['pipe', 'pipe', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    })
    const signal = AbortSignal.timeout(DEADLINE_MS)
    await Promise.all(processes.map((child) => once(child.stdout, 'data', { signal })))
    const exits = processes.map((child) => once(child, 'exit', { signal }))
    for (const child of processes) child.stdin.write('go\n')
    expect(await Promise.all(exits)).toStrictEqual(processes.map(() => [0, null]))
  },
)
