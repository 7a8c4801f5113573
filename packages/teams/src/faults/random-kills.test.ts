import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { expect, test } from 'vitest'
import { playEpisode } from './episode.fixture.ts'
import { makePlan } from './plan.fixture.ts'

const KILLS = Object.freeze({ sqlite: 3, postgres: 2 })
const SEEDS = 1_000_000

test('processes that are killed lose nothing, repeat nothing, and everything comes to its end', {
  timeout: 180_000,
}, async () => {
  verifies('TM-DURABLE-1', 'TM-DURABLE-2', 'TM-EVENT-9')
  await Promise.all(
    testDatabases.map(async ({ kind, createDatabase }) => {
      const seed = Math.floor(Math.random() * SEEDS)
      const database = await createDatabase()
      try {
        const { broken, summary, log } = await playEpisode(makePlan(seed, KILLS[kind]), database.url)
        const again = `npm run faults -- --seed ${seed} --kills ${KILLS[kind]} --database ${kind}`
        expect(broken, `${again}\n${summary}\n${log}`).toBeUndefined()
      } finally {
        await database.drop()
      }
    }),
  )
})

test('the same seed is the same plan, and another is another', () => {
  expect(makePlan(7, 3)).toEqual(makePlan(7, 3))
  expect(makePlan(8, 3).tasks).not.toEqual(makePlan(7, 3).tasks)
})
