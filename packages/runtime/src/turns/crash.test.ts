import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { textOf } from '@quire/agent/message'
import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { allMessages, ends, says, startProcess, type TestProcess } from './turns.fixture.ts'

const FIXTURE = new URL('./crash.fixture.ts', import.meta.url).pathname
const LEASE_MS = 500
const ROUNDS = 10
const WHOLE = `${Array.from({ length: 20 }, (_, word) => `${word} `).join('')}end`

describe.each(testDatabases)(
  'a process on $kind that is killed in the middle of a turn',
  ({ createDatabase }) => {
    let database: Awaited<ReturnType<typeof createDatabase>>
    let one: TestProcess

    beforeAll(async () => {
      database = await createDatabase()
      one = await startProcess(database.url, { leaseMs: LEASE_MS, script: () => [says('recovered'), ends()] })
    })
    afterAll(async () => {
      await one.stop()
      await database.drop()
    })

    /** Returns what the process had said before it was killed at some moment after its first acknowledged prompt. */
    async function runAndKill(conversationId: string): Promise<string> {
      const child = spawn(process.execPath, [FIXTURE, database.url, conversationId, String(LEASE_MS)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
      await vi.waitFor(() => expect(output).toContain('asked'), { timeout: 30_000, interval: 5 })
      await delay(Math.random() * 1_200)
      child.kill('SIGKILL')
      await once(child, 'close')
      return output
    }

    test('loses no acknowledged prompt, shows nothing complete that is not, and can be gone on with', async () => {
      verifies('RT-CONV-13')
      const ids = Array.from({ length: ROUNDS }, (_, round) => `crash-${round}`)
      const outputs = new Map<string, string>()
      for (let start = 0; start < ids.length; start += 5)
        await Promise.all(
          ids.slice(start, start + 5).map(async (id) => void outputs.set(id, await runAndKill(id))),
        )
      for (const id of ids) {
        await vi.waitFor(
          async () => expect((await one.conversations.find('ada', id))?.status).not.toBe('running'),
          { timeout: 30_000, interval: 50 },
        )
        const record = await one.conversations.find('ada', id)
        const messages = await allMessages(one, id)
        const prompts = messages.flatMap(({ message }) => (message.role === 'user' ? [message.text] : []))
        const lines = outputs.get(id)?.split('\n') ?? []
        for (const line of lines)
          if (line.startsWith('asked ')) expect(prompts).toContain(line.slice('asked '.length))
        const answered = lines.filter((line) => line.startsWith('answered ')).length
        for (const { message, status } of messages) {
          if (message.role !== 'assistant') continue
          if (status === 'complete') expect(textOf(message)).toBe(WHOLE)
          else expect(WHOLE.startsWith(textOf(message))).toBe(true)
        }
        // The last turn may have been over when the process was killed; otherwise it is not shown as such.
        const isWhole =
          messages.filter(({ message, status }) => message.role === 'assistant' && status === 'complete')
            .length ===
          2 * prompts.length
        expect(record?.status).toBe(isWhole ? 'idle' : 'interrupted')
        expect(prompts.length).toBeGreaterThanOrEqual(answered)
        // The database may commit the last prompt of a process after its end: that turn has a lease to run out.
        const next = await vi.waitFor(() => one.prompt('go on', id), { timeout: 30_000, interval: 50 })
        expect(await next.result()).toMatchObject({ status: 'complete', text: 'recovered' })
      }
    })
  },
)
