import type { Tool } from '@quire/agent/tool'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLimitAtOnce } from '../limit-at-once.ts'
import { createGrowingText } from './growing-text.ts'
import { createLayout } from './layout.ts'
import { createLiveTurn } from './live-turn.ts'
import {
  allMessages,
  calls,
  collect,
  ends,
  merge,
  type Script,
  says,
  startProcess,
  type TestProcess,
  toolNamed,
} from './turns.fixture.ts'

const MEGABYTE = 1_000_000

describe.each(testDatabases)('bounds on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let script: Script = () => [says('Hello'), ends()]
  const ran = vi.fn<() => void>()

  beforeAll(async () => {
    database = await createDatabase()
    one = await start()
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  const start = (more: Parameters<typeof startProcess>[1] = {}) =>
    startProcess(database.url, {
      script: (request) => script(request),
      toolList: [
        toolNamed('act', async () => {
          ran()
          return { content: [{ type: 'text', text: 'x'.repeat(MEGABYTE) }] }
        }),
      ],
      ...more,
    })

  const endless: Script = async function* ({ signal }) {
    yield says('Let me think.')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    signal.throwIfAborted()
  }

  /** As it stands a while after the process of its turn is gone. */
  async function abandon(message: string, conversationId: string): Promise<string> {
    const gone = await start({ script: endless })
    onTestFinished(() => gone.stop())
    const turn = await gone.prompt(message, conversationId)
    await sql`update runtime_turn set lease_until = 1, runner = 'gone' where id = ${turn.id}`.execute(
      one.store.db,
    )
    return turn.id
  }

  const damage = (conversationId: string, number: number) =>
    sql`update runtime_message set message = 'no json' where conversation_id = ${conversationId} and number = ${number}`.execute(
      one.store.db,
    )

  const bytesOf = async (conversationId: string) => {
    const { rows } = await sql<{ kept: number; counted: number }>`
      select bytes as kept, (
        select sum(octet_length(message)) from runtime_message where conversation_id = runtime_conversation.id
      ) as counted from runtime_conversation where id = ${conversationId}`.execute(one.store.db)
    return rows.map(({ kept, counted }) => [Number(kept), Number(counted)])
  }

  test('a turn that cannot be settled stands in the way of no other, and of nobody who reads', async () => {
    await abandon('poison', 'poisoned')
    await damage('poisoned', 1)
    await abandon('fine', 'settled')
    expect(await one.conversations.list({ owner: 'ada', status: 'interrupted' })).toMatchObject({ total: 2 })
    expect(await one.conversations.list({ owner: 'ada', status: 'running' })).toMatchObject({ total: 0 })
    expect(await one.conversations.list({ owner: 'bob' })).toMatchObject({ total: 0 })
    expect(await one.conversations.find('ada', 'poisoned')).toMatchObject({ status: 'interrupted' })
    await one.turns.interruptExpired()
    const states = await sql<{ state: string }>`
      select state from runtime_turn where conversation_id in ('poisoned', 'settled') order by conversation_id`.execute(
      one.store.db,
    )
    expect(states.rows.map(({ state }) => state)).toStrictEqual(['running', 'interrupted'])
    expect(await one.conversations.remove('ada', 'settled')).toBe(true)
    await sql`delete from runtime_turn where conversation_id = 'poisoned'`.execute(one.store.db)
    await sql`delete from runtime_conversation where id = 'poisoned'`.execute(one.store.db)
  })

  test('a turn with thousands of open calls is settled', async () => {
    const turnId = await abandon('many', 'many')
    const parts = Array.from({ length: 10_000 }, (_, index) => ({
      type: 'tool_call',
      id: `c${index}`,
      name: 'act',
      args: {},
    }))
    await sql`
      insert into runtime_message (conversation_id, number, turn_id, message, status, created_at)
      values ('many', 2, ${turnId}, ${JSON.stringify({ role: 'assistant', parts })}, 'complete', '')`.execute(
      one.store.db,
    )
    await one.turns.interruptExpired()
    expect(await one.conversations.find('ada', 'many')).toMatchObject({ status: 'interrupted' })
    expect(await allMessages(one, 'many')).toHaveLength(10_002)
    expect(await bytesOf('many')).toSatisfy(([[kept, counted] = []]) => kept === counted)
  })

  test('a turn is settled without what was said before it, and what was spent before it counts', async () => {
    script = () => [says('Hello'), ends(10, 5)]
    await (await one.prompt('first', 'long')).result()
    await abandon('second', 'long')
    await damage('long', 1)
    await one.turns.interruptExpired()
    expect(await one.conversations.find('ada', 'long')).toMatchObject({
      status: 'interrupted',
      usage: { promptTokens: 10, completionTokens: 5 },
    })
  })

  test('the bytes of a conversation are counted, and there are only so many', async () => {
    script = ({ messages }) =>
      messages.at(-1)?.role === 'user' ? [calls('c1', 'act'), ends()] : [says('Ünïcödé'), ends()]
    await (await one.prompt('first', 'full')).result()
    await (await one.prompt('second', 'full')).result()
    expect(await bytesOf('full')).toSatisfy(([[kept, counted] = []]) => kept === counted)
    await sql`update runtime_conversation set bytes = ${64 * 1024 * 1024} where id = 'full'`.execute(
      one.store.db,
    )
    await expect(one.prompt('third', 'full')).rejects.toMatchObject({
      message: expect.stringContaining('begin another one'),
      problem: { status: 409 },
    })
    expect(await one.conversations.find('ada', 'full')).toMatchObject({ status: 'idle' })
  })

  test('a turn that puts down too much is ended', async () => {
    let step = 0
    script = () => [
      calls(`c${++step}`, 'act'),
      ...Array.from({ length: 8 }, (_, n) => calls(`${step}-${n}`, 'act')),
      ends(),
    ]
    const turn = await one.prompt('much', 'much')
    expect(await turn.result()).toMatchObject({
      status: 'failed',
      error: { statusCode: 413, detail: expect.stringContaining('ask for less at once') },
    })
    expect(step).toBeLessThan(4)
    expect((await allMessages(one, 'much')).filter(({ message }) => message.role === 'tool')).toHaveLength(
      9 * step,
    )
  })

  test('a long conversation and a long turn are read in small pages', async () => {
    script = () => [says('y'.repeat(100_000)), ends()]
    const texts = Array.from({ length: 20 }, (_, index) => `${index} ${'x'.repeat(100_000)}`)
    for (const text of texts) await (await one.prompt(text, 'paged')).result()
    const pages: number[] = []
    const said: string[] = []
    for await (const { messages } of one.conversations.messages('paged')) {
      pages.push(JSON.stringify(messages).length)
      for (const { message } of messages) if (message.role === 'user') said.push(message.text)
    }
    expect(said).toStrictEqual(texts)
    expect(pages.length).toBeGreaterThan(10)
    expect(Math.max(...pages)).toBeLessThan(500_000)
  })

  test('no tool begins once a cancel was asked for, and nobody is asked either', async () => {
    for (const agentId of ['writer', 'careful']) {
      ran.mockClear()
      const gate = Promise.withResolvers<void>()
      script = async function* () {
        yield says('I call.')
        await gate.promise
        yield* [calls('c1', 'act'), ends()]
      }
      const turn = await one.prompt('act', `cancelled-${agentId}`, agentId)
      // Not told of it: its news may be lost.
      await sql`update runtime_turn set cancel_requested = 1 where id = ${turn.id}`.execute(one.store.db)
      gate.resolve()
      expect(await turn.result()).toMatchObject({ status: 'cancelled', text: 'I call.' })
      expect(ran).not.toHaveBeenCalled()
      expect(await one.conversations.find('ada', turn.conversationId)).toMatchObject({ status: 'cancelled' })
    }
  })

  test('a cancel that is not done is not said to be', async () => {
    script = endless
    const turn = await one.prompt('think', 'paused')
    // Its process is paused, and holds its lease.
    await sql`update runtime_turn set runner = 'paused', lease_until = lease_until + 20000 where id = ${turn.id}`.execute(
      one.store.db,
    )
    const two = await start()
    onTestFinished(() => two.stop())
    expect(await two.turns.cancel('ada', 'paused')).toBe('requested')
    expect(await two.conversations.find('ada', 'paused')).toMatchObject({ status: 'running' })
  })

  test('so many turns run at once, of one owner and of all, and no more', async () => {
    script = endless
    const few = await start({ most: 3, mostPerOwner: 2 })
    onTestFinished(() => few.stop())
    const prompt = (owner: string) => few.turns.prompt({ owner, agentId: 'writer', message: 'think' })
    const refusal = { problem: { status: 429 }, headers: { 'Retry-After': '5' } }
    const [first] = [await prompt('ada'), await prompt('ada')]
    await expect(prompt('ada')).rejects.toMatchObject(refusal)
    await prompt('bob')
    await expect(prompt('bob')).rejects.toMatchObject(refusal)
    await first?.cancel()
    await expect.poll(() => prompt('bob').then(({ id }) => typeof id, String)).toBe('string')
    await expect(few.turns.prompt({ owner: 'eve', agentId: 'nobody', message: '' })).rejects.toMatchObject({
      problem: { status: 429 },
    })
  })

  test('a refused prompt takes no place', async () => {
    const few = await start({ most: 1, mostPerOwner: 1 })
    onTestFinished(() => few.stop())
    for (let count = 0; count < 3; count += 1)
      await expect(few.turns.prompt({ owner: 'ada', agentId: 'nobody', message: '' })).rejects.toMatchObject({
        problem: { status: 404 },
      })
    script = () => [says('Hello'), ends()]
    for (let count = 0; count < 3; count += 1)
      await expect
        .poll(async () => (await few.prompt('again').catch(() => undefined))?.result())
        .toBeDefined()
  })

  test.each([
    ['another description', { description: 'Deletes everything.' }, false],
    ['another schema', { inputSchema: { type: 'object', required: ['path'] } }, false],
    ['the same schema in another order', { inputSchema: { b: { y: 1, x: 2 }, type: 'object', a: 1 } }, true],
  ])('a call that was approved is made for the same tool alone: %s', async (_, change, isMade) => {
    ran.mockClear()
    const tool = {
      ...toolNamed('act', async () => {
        ran()
        return { content: [{ type: 'text', text: 'done' }] }
      }),
      inputSchema: { type: 'object', a: 1, b: { x: 2, y: 1 } },
    }
    const toolList: Tool[] = [tool]
    const asking = await start({ toolList })
    onTestFinished(() => asking.stop())
    script = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? [says(JSON.stringify(messages.at(-1))), ends()]
        : [calls('c1', 'act'), ends()]
    const turn = await asking.prompt('act', undefined, 'careful')
    await turn.result()
    toolList[0] = { ...tool, ...change }
    const decision = { owner: 'ada', conversationId: turn.conversationId, callId: 'c1', isApproved: true }
    const resumed = await asking.turns.decide(decision)
    const frames = merge(resumed ? await collect(resumed) : [])
    expect(JSON.stringify(frames)).toContain(isMade ? 'done' : 'has changed since a person approved it')
    expect(ran).toHaveBeenCalledTimes(isMade ? 1 : 0)
  })
})

test('room is given back once', () => {
  const atOnce = createLimitAtOnce({ most: 2, mostPerOwner: 1, what: 'turns' })
  const leave = atOnce.take('ada')
  atOnce.take('bob')
  leave()
  leave()
  atOnce.take('ada')
  expect(() => atOnce.take('eve')).toThrow('2 turns are under way here')
})

test('a growing text hands out so much at a time, and never half a character', () => {
  const text = createGrowingText()
  for (let count = 0; count < 200; count += 1) text.append('a🙂'.repeat(1_000))
  let all = ''
  for (let piece = text.after(0); piece !== ''; piece = text.after(all.length)) {
    expect(piece.length).toBeLessThan(70_000)
    expect(piece.isWellFormed()).toBe(true)
    all += piece
  }
  expect(all).toBe(text.whole())
})

test('a live turn lays out what its reader gets to next, not all of it', () => {
  const live = createLiveTurn('t', [])
  for (let count = 0; count < 500; count += 1)
    live.put({ role: 'tool', callId: `c${count}`, name: 'act', result: { content: [] } }, 'complete')
  const layout = createLayout('t', undefined)
  let count = 0
  for (let index = 0; index < 500; ) {
    const page = live.read(layout, index)
    expect(page.frames.length).toBeLessThanOrEqual(64)
    count += page.frames.length
    index = page.index
  }
  expect(count).toBe(500)
})
