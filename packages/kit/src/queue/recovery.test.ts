import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import type { Readable } from 'node:stream'
import { testDatabases } from '@quire/testbed/test-databases'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHarness } from './queue.fixture.ts'
import type { JobHandler, OnFailed } from './queue.ts'

const FIXTURE = new URL('./worker.fixture.ts', import.meta.url).pathname

type Child = ChildProcessByStdio<null, Readable, null>

describe.each(testDatabases)('a queue on $kind whose worker is killed', (underTest) => {
  const { url, leaseMs, expire, add, until, work } = createHarness(underTest)

  function spawnWorker(): Child {
    const child = spawn(process.execPath, [FIXTURE, url(), String(leaseMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  async function kill(child: Child): Promise<void> {
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expire()
  }

  test('loses nothing: another worker runs again what was cut short', async () => {
    const ids: string[] = []
    for (let number = 0; number < 20; number++) ids.push(await add({ priority: number % 4 === 0 ? 0 : 1 }))
    const child = spawnWorker()
    // Fifteen that end at once and come first, then four that are held.
    const begun = await readLines(child, 19)
    const held = begun.filter((id) => ids.indexOf(id) % 4 === 0)
    expect(held).toHaveLength(4)
    await kill(child)
    const taken: string[] = []
    work(async (job, { attempt }) => void taken.push(`${job.id} ${attempt}`), { concurrency: 4 })
    for (const id of ids) await until(id, { state: 'completed' })
    for (const id of held) expect(taken).toContain(`${id} 2`)
  })

  test('fails the job whose last attempt it was, and tells the owner once', async () => {
    const id = await add({ retry: { limit: 0 } })
    const child = spawnWorker()
    expect(await readLines(child, 1)).toStrictEqual([id])
    await kill(child)
    const handler = vi.fn<JobHandler>(async () => undefined)
    const onFailed = vi.fn<OnFailed>(async () => undefined)
    work(handler, { onFailed, concurrency: 2 })
    await until(id, { state: 'failed', attempts: 1 })
    await until(await add(), { state: 'completed' })
    expect(handler).toHaveBeenCalledTimes(1)
    expect(onFailed.mock.calls).toStrictEqual([
      [
        { id, queue: 'tasks', payload: {}, priority: 0 },
        { error: expect.any(String), attempts: 1, tx: expect.anything() },
      ],
    ])
  })
})

async function readLines(child: Child, count: number): Promise<string[]> {
  let text = ''
  for await (const [chunk] of on(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) })) {
    text += String(chunk)
    const lines = text.split('\n').slice(0, -1)
    if (lines.length >= count) return lines
  }
  return []
}
