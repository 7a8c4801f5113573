import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGrowingText } from './growing-text.ts'
import { createLayout, type TurnItem } from './layout.ts'
import { collect, createRandom, ends, merge, says, startProcess, type TestProcess } from './turns.fixture.ts'

const [sqlite] = testDatabases
let database: Awaited<ReturnType<typeof sqlite.createDatabase>>
let one: TestProcess

beforeAll(async () => {
  database = await sqlite.createDatabase()
  one = await startProcess(database.url, { script: () => [says('Hello'), says(' you'), ends()] })
})
afterAll(async () => {
  await one.stop()
  await database.drop()
})

test.each([
  '',
  'x',
  'turn.1.1',
  '.1.1',
  '{}',
  '{}.1',
  '{}.1.1.1',
  '{}.-1.0',
  '{}.1.-1',
  '{}.1e3.0',
  '{}.1.99',
  '{}.99.0',
  '{}.999999999999.0',
  '{}.0.0',
  '{} .1.1',
  '{}.1.1\n',
  '9'.repeat(300),
  `{}.${'1'.repeat(300)}.0`,
  '{}.٣.0',
])('a place that was never given leads to the beginning: %j', async (place) => {
  const turn = await one.prompt('hi')
  const whole = await collect(turn)
  const after = place.replace('{}', turn.id)
  const joined = await one.turns.join('ada', turn.conversationId)
  expect(merge(await collect(turn, after))).toStrictEqual(merge(whole))
  expect(joined && merge(await collect(joined, after))).toStrictEqual(merge(whole))
})

test('a text that was sent and then lost with its process does not come twice', () => {
  const cut: TurnItem = {
    type: 'message',
    message: { role: 'assistant', parts: [{ type: 'text', text: 'Hel' }] },
    status: 'partial',
  }
  const ending = {
    usage: { promptTokens: 0, completionTokens: 0 },
    error: { detail: 'cut', statusCode: 503 },
  }
  const kept = createLayout('t', 't.1.5')
  expect([...kept.add(cut), ...kept.addEnd(ending)].map(({ frame }) => frame.type)).toStrictEqual([
    'usage',
    'error',
    'done',
  ])
  const nothing = createLayout('t', 't.1.5')
  expect(nothing.addEnd(ending).map(({ frame }) => frame.type)).toStrictEqual(['usage', 'error', 'done'])
  expect(nothing.isUnknown()).toBe(false)
})

test('a long text comes in pieces that cut no character in two', () => {
  const text = `x${'🙂'.repeat(20_000)}`
  const frames = createLayout('t', undefined).addText((offset) => text.slice(offset))
  expect(frames.length).toBeGreaterThan(2)
  for (const { frame } of frames) expect(frame.type === 'text' && frame.content.isWellFormed()).toBe(true)
  expect(merge(frames)).toStrictEqual([{ type: 'text', content: text }])
})

test('a growing text gives what follows any offset', () => {
  const random = createRandom(7)
  const text = createGrowingText()
  let whole = ''
  for (let count = 0; count < 500; count++) {
    const fragment = 'abcdefgh'.slice(0, Math.floor(random() * 9))
    text.append(fragment)
    whole += fragment
    for (const offset of [0, whole.length, whole.length + 3, Math.floor(random() * whole.length)])
      expect(text.after(offset)).toBe(whole.slice(offset))
    expect(text.after(whole.length - fragment.length)).toBe(fragment)
  }
  text.clear()
  expect([text.length(), text.after(0)]).toStrictEqual([0, ''])
})
