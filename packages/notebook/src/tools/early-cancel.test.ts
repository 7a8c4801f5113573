import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

const ROUNDS = 100

let jupyter: Jupyter
let tools: ToolBench
beforeAll(async () => {
  jupyter = await startJupyter()
  tools = await startToolClient({ jupyter })
  await tools.call('execute_code', { code: 'import time' })
})
afterAll(async () => {
  await tools?.close()
  await jupyter?.stop()
})

/** How often a loop went round that was cancelled this soon after it was sent. */
async function roundsOf(name: string, milliseconds: number): Promise<number> {
  const file = join(jupyter.root, name)
  const code = `for n in range(${ROUNDS}):\n    open(${JSON.stringify(file)}, 'a').write('x')\n    time.sleep(0.1)`
  const cancel = new AbortController()
  const call = tools.call('execute_code', { code }, { signal: cancel.signal })
  await delay(milliseconds)
  cancel.abort()
  await expect(call).rejects.toThrow()
  // Answered when the kernel is free again: whatever of the loop ran has ended by then.
  expect((await tools.call('execute_code', { code: '"free"' })).text).toContain('free')
  return (await readFile(file, 'utf8').catch(() => '')).length
}

test.each([0, 1, 3, 6, 10, 30])(
  'code that is cancelled %i ms after it was sent does not run on',
  async (milliseconds) => {
    expect(await roundsOf(`cancelled-${milliseconds}`, milliseconds)).toBeLessThan(ROUNDS / 2)
  },
)

test('code that is cancelled while it waits for other code never runs', async () => {
  verifies('NB-EXEC-1')
  const [begun, go, never] = ['begun', 'go', 'never'].map((name) => join(jupyter.root, name)) as [
    string,
    string,
    string,
  ]
  const wait = `import os\nopen(${JSON.stringify(begun)}, 'w').close()\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.05)\nprint('first')`
  const first = tools.call('execute_code', { code: wait })
  await expect.poll(() => existsSync(begun)).toBe(true)
  const cancel = new AbortController()
  const code = `open(${JSON.stringify(never)}, 'w').close()`
  const second = tools.call('execute_code', { code }, { signal: cancel.signal })
  // Messages keep their order: when this is answered, the second call has long been waiting.
  await tools.call('list_kernels')
  cancel.abort()
  await expect(second).rejects.toThrow()
  await writeFile(go, '')
  expect((await first).text).toContain('first')
  await tools.call('execute_code', { code: '1' })
  expect(existsSync(never)).toBe(false)
})
