import { verifies } from '@quire/spec/verifies'
import { createTestDatabase, type TestDatabase } from '@quire/testbed/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { POLL } from './composer.fixture.ts'
import {
  createRuntimeFolder,
  type RunningRuntime,
  type RuntimeFolder,
  readFrames,
  runRuntime,
  startRuntime,
  textIn,
} from './runtime.fixture.ts'

let database: TestDatabase
const folders: RuntimeFolder[] = []
const running: RunningRuntime[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  folders.push(await createRuntimeFolder({ sample: true }), await createRuntimeFolder({ sample: true }))
  const args = ['--rate-limit', 'getAgent=3/m']
  const env = { DATABASE_URL: database.url }
  running.push(...(await Promise.all(folders.map((folder) => startRuntime(folder, { args, env })))))
})
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop('SIGKILL')))
  await Promise.all(folders.map((folder) => folder.remove()))
  await database?.drop()
})

test('two runtimes on one database are one service', async () => {
  verifies('ALL-DATA-7', 'RT-PROMPT-14', 'RT-PROMPT-11', 'RT-PROMPT-13', 'RT-AUTH-5', 'RT-RATE-5')
  const [one, two] = running
  if (!one || !two) throw new Error('both run')
  for (const { read } of running) {
    expect((await read('agents')).agents.map(({ id }: { id: string }) => id)).toEqual(['guide'])
    await expect.poll(async () => (await read('configure/mcp-toolsets-status')).ready_count, POLL).toBe(1)
  }
  const left = new AbortController()
  const body = { message: 'call sample__wait with {"steps": 20}', conversation_id: 'shared' }
  const stream = await one.ask('POST', 'agents/guide/prompt', { body, signal: left.signal })
  const before = await readFrames(stream, ({ frame }) => frame.type === 'tool_call')
  left.abort()
  expect((await two.ask('POST', 'agents/guide/prompt', { body })).status).toBe(409)
  const headers = { 'last-event-id': before.at(-1)?.id ?? '' }
  const after = await readFrames(await two.ask('GET', 'conversations/shared/stream', { headers }))
  expect(after.map(({ frame }) => frame.type)).not.toContain('tool_call')
  expect(textIn(after)).toContain('waited')
  expect(after.at(-1)?.frame).toEqual({ type: 'done' })

  const long = { message: 'call sample__wait with {"steps": 10000}', conversation_id: 'shared' }
  const second = readFrames(await two.ask('POST', 'agents/guide/prompt', { body: long }))
  expect((await one.ask('POST', 'conversations/shared/cancel')).status).toBe(200)
  expect((await second).at(-1)?.frame).toEqual({ type: 'done' })
  expect((await one.read('conversations/shared')).status).toBe('cancelled')

  const statuses: number[] = []
  for (const { ask } of [one, two, one, two]) statuses.push((await ask('GET', 'agents/guide')).status)
  expect(statuses).toEqual([200, 200, 200, 429])

  const [folder] = folders
  if (!folder) throw new Error('there is one')
  const args = ['--name', 'ada', '--database', database.url]
  const key = (await runRuntime(folder, ['keys', 'issue'], { args })).stdout.trim()
  for (const { ask } of running) {
    await expect.poll(async () => (await ask('GET', 'agents')).status, POLL).toBe(401)
    expect((await ask('GET', 'agents', { key })).status).toBe(200)
  }
})
