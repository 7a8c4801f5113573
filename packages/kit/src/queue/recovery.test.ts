import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import type { Readable } from 'node:stream'
import { testDatabases } from '@quire/testbed/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHarness } from './queue.fixture.ts'

const fixture = new URL('./worker.fixture.ts', import.meta.url).pathname

describe.each(testDatabases)('a queue on $kind whose worker is killed', (underTest) => {
  const { url, leaseMs, expire, add, until, work } = createHarness(underTest)

  test('loses nothing: another worker runs again what was cut short', async () => {
    const ids: string[] = []
    for (let number = 0; number < 20; number++) ids.push(await add({ priority: number % 4 === 0 ? 0 : 1 }))
    const child = spawn(process.execPath, [fixture, url(), String(leaseMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    // Fifteen that end at once and come first, then four that are held.
    const begun = await readLines(child, 19)
    const held = begun.filter((id) => ids.indexOf(id) % 4 === 0)
    expect(held).toHaveLength(4)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expire()
    const taken: string[] = []
    work(async (job, { attempt }) => void taken.push(`${job.id} ${attempt}`), { concurrency: 4 })
    for (const id of ids) await until(id, { state: 'completed' })
    for (const id of held) expect(taken).toContain(`${id} 2`)
  })
})

async function readLines(child: ChildProcessByStdio<null, Readable, null>, count: number): Promise<string[]> {
  let text = ''
  for await (const [chunk] of on(child.stdout, 'data', { signal: AbortSignal.timeout(15_000) })) {
    text += String(chunk)
    const lines = text.split('\n').slice(0, -1)
    if (lines.length >= count) return lines
  }
  return []
}
