import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { createGroupMemory } from './group-memory.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
})

const ALLOCATE =
  'const kept = Buffer.alloc(80 * 1024 * 1024, 1); console.log(kept.length); setInterval(() => kept, 1000)'

test('the memory of a group is that of all its processes', async () => {
  const script = '"$0" -e "$1" & "$0" -e "$1" & wait'
  const child = spawn('/bin/sh', ['-c', script, process.execPath, ALLOCATE], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.push(child)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await once(child, 'spawn')
  await expect.poll(() => said.split('\n').length).toBe(3)
  const used = await createGroupMemory()(child.pid ?? 0)
  expect(used).toBeGreaterThan(160 * 1024 * 1024)
  expect(used).toBeLessThan(1024 * 1024 * 1024)
})

test('of a group that is not there nothing is known', async () => {
  expect(await createGroupMemory()(4_194_305)).toBeUndefined()
})
