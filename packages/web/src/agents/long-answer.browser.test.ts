import { setInterval } from 'node:timers/promises'
import { type Act, createGate, type Gate } from '@quire/testbed/model-peer/script'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type QuireWithModel, startQuireWithModel } from './agents.fixture.ts'

const TOKENS = 3_000
/** Faster than any model, so that the page has more to do and the test takes seconds. */
const TOKENS_AT_ONCE = 20
const PACE_MS = 10

let app: QuireWithModel
beforeAll(async () => {
  app = await startQuireWithModel()
  await app.createAgent({ id: 'ada', name: 'Ada' })
})
afterAll(() => app?.stop())

test('a long answer is shown as it comes', async () => {
  const gates: Gate[] = []
  app.willAnswer({ acts: toActs(gates) })
  const page = await app.quire.newPage({ path: '/agents/ada' })
  await page.getByLabel('Message to Ada').fill('Write a book')
  await page.getByLabel('Message to Ada').press('Enter')
  await page.getByRole('heading', { name: 'Chapter 0', exact: true }).waitFor()
  let next = 0
  for await (const _ of setInterval(PACE_MS)) {
    gates[next]?.open()
    next += 1
    if (next >= gates.length) break
  }
  // By its attribute: to look for a text, the test's own code would read the whole page again and again.
  await page.locator('[aria-label="Send"]').waitFor({ timeout: 60_000 })
  expect(await page.getByRole('article').getByRole('heading').count()).toBe(toChapters())
})

const WORDS_PER_CHAPTER = 200

function toChapters(): number {
  return Math.ceil(TOKENS / WORDS_PER_CHAPTER)
}

function toActs(gates: Gate[]): Act[] {
  const acts: Act[] = []
  for (let token = 0; token < TOKENS; token++) {
    acts.push({ text: toToken(token) })
    if (token % TOKENS_AT_ONCE !== TOKENS_AT_ONCE - 1) continue
    const gate = createGate()
    gates.push(gate)
    acts.push({ gate })
  }
  return [...acts, { text: '\n\nThe end.' }]
}

/** Headings, paragraphs, a list and a block of code in turn. */
function toToken(token: number): string {
  const place = token % WORDS_PER_CHAPTER
  const chapter = Math.floor(token / WORDS_PER_CHAPTER)
  if (place === 0) return `\n\n## Chapter ${chapter}\n\n`
  if (place === 80) return '\n\n- first **bold**\n- second\n\n'
  if (place === 120) return '\n\n```python\n'
  if (place === 150) return '\n```\n\n'
  return place > 120 && place < 150 ? `x${token} = ${token}\n` : `word${token} `
}
