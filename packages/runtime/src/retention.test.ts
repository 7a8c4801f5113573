import { createLogger } from '@quire/kit/log'
import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { startRetention } from './retention.ts'

const logger = createLogger({ level: 'silent', pretty: false })

test('looks for old conversations at once and again, also after a failure', async () => {
  verifies('RT-CONV-14')
  const asked: Date[] = []
  const { close } = startRetention({
    conversations: {
      async removeUnusedSince(time) {
        asked.push(time)
        if (asked.length === 1) throw new Error('the database is away')
        return 1
      },
    },
    days: 2,
    logger,
    now: () => Date.parse('2026-01-03T00:00:00.000Z'),
    intervalMs: 5,
  })
  await expect.poll(() => asked.length).toBeGreaterThan(2)
  await close()
  for (const time of asked) expect(time.toISOString()).toBe('2026-01-01T00:00:00.000Z')
})
