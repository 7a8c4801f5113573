import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { define } from './links.fixture.ts'
import { createRealSupervisors, isRunning } from './real-servers.fixture.ts'
import { createScratch } from './scratch.fixture.ts'

const WAIT = { timeout: 30_000, interval: 10 }
const ROUGH = fileURLToPath(new URL('../fixtures/rough-server.ts', import.meta.url))
/** Notes which of those that were started before it still live, then itself, and becomes the server. */
const SCRIPT = `while read -r pid; do kill -0 "$pid" 2>/dev/null && echo "$pid" >> "$2"; done < "$1"
echo $$ >> "$1"
exec "$3" "$4"`

const { supervise, closeAll } = createRealSupervisors()
let scratch: Awaited<ReturnType<typeof createScratch>>
beforeAll(async () => {
  scratch = await createScratch()
})
afterEach(closeAll)
afterAll(() => scratch.remove())

test('a storm of requests never makes two generations of a server live at a time', async () => {
  const started = scratch.file('started')
  const overlaps = scratch.file('overlaps')
  await Promise.all([writeFile(started, ''), writeFile(overlaps, '')])
  const pids = async () => (await readFile(started, 'utf8')).trim().split('\n').map(Number)
  const stage = supervise()
  const command = ['/bin/sh', '-c', SCRIPT, 'sh', started, overlaps, process.execPath, ROUGH] as const
  await stage.supervisor.apply([define('a', { command: [...command] })])
  await expect.poll(() => stage.server('a').status().state, WAIT).toBe('running')

  const { start, stop, restart } = stage.server('a')
  const requests: Promise<unknown>[] = []
  for (let round = 0; round < 10; round += 1) {
    for (const ask of [restart, stop, start]) {
      // Some are refused while others are still asked for.
      requests.push(Promise.allSettled([ask()]))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(requests)
  await restart()
  expect(await readFile(overlaps, 'utf8')).toBe('')
  expect((await pids()).filter(isRunning)).toEqual([stage.server('a').status().pid])
  await stop()
  expect((await pids()).filter(isRunning)).toEqual([])
})
