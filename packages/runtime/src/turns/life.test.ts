import { setTimeout as delay } from 'node:timers/promises'
import { createGuide } from '@quire/agent/guide'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  allMessages,
  calls,
  collect,
  ends,
  merge,
  type ProcessOptions,
  says,
  startProcess,
  toolNamed,
} from './turns.fixture.ts'

describe.each(testDatabases)('the life of turns on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>

  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(async () => {
    await database.drop()
  })

  async function start(options: ProcessOptions) {
    const process = await startProcess(database.url, options)
    onTestFinished(() => process.stop())
    return process
  }

  test('closing waits for what ends in time, interrupts the rest, and takes no more', async () => {
    const slow = Promise.withResolvers<void>()
    const one = await start({
      async *script({ messages }) {
        yield says('be')
        if (JSON.stringify(messages).includes('never')) await new Promise(() => undefined)
        await slow.promise
        yield says('gun')
        yield ends()
      },
    })
    const [ending, endless] = await Promise.all([one.prompt('soon'), one.prompt('never')])
    for (const turn of [ending, endless]) for await (const _ of turn.frames()) break
    const closing = one.turns.close(500)
    slow.resolve()
    await closing
    await expect(one.prompt('late')).rejects.toMatchObject({ problem: { status: 503 } })
    expect(await ending.result()).toMatchObject({ status: 'complete', text: 'begun' })
    expect(await endless.result()).toMatchObject({ status: 'interrupted', text: 'be' })
    const stored = await allMessages(one, endless.conversationId)
    expect(stored.at(-1)).toMatchObject({ status: 'partial' })
  })

  test('each call is stored before its tool is called', async () => {
    const seen = vi.fn<(stored: unknown) => void>()
    const one = await start({
      script: ({ messages }) =>
        messages.length === 1 ? [calls('c1', 'look'), ends()] : [says('ok'), ends()],
      toolList: [
        toolNamed('look', async () => {
          seen((await allMessages(one, 'looked')).at(-1)?.message)
          return { content: [] }
        }),
      ],
    })
    await (await one.prompt('look', 'looked')).result()
    expect(seen.mock.calls).toMatchObject([[{ role: 'assistant', parts: [{ id: 'c1' }] }]])
  })

  test('a long turn renews its lease', async () => {
    const leaseMs = 600
    const one = await start({
      leaseMs,
      async *script() {
        await delay(3 * leaseMs)
        yield says('still here')
        yield ends()
      },
    })
    const two = await start({ leaseMs })
    const turn = await one.prompt('take your time')
    const joined = await two.turns.join('ada', turn.conversationId)
    expect(await joined?.result()).toMatchObject({ status: 'complete', text: 'still here' })
  })

  test('a conversation that has grown too long is summed up, and the summary is kept', async () => {
    const asked: string[] = []
    const script = ({ messages, tools }: { messages: readonly unknown[]; tools: readonly unknown[] }) => {
      asked.push(JSON.stringify(messages))
      const isSummary = JSON.stringify(messages).includes('<conversation>')
      return isSummary && tools.length === 0
        ? [says('SUMMED UP'), ends()]
        : [says('x '.repeat(30_000)), ends()]
    }
    const one = await start({ script })
    for (let count = 0; count < 8; count++) await (await one.prompt(`prompt ${count}`, 'long')).result()
    const summing = asked.filter((messages) => messages.includes('<conversation>'))
    expect(summing.length).toBeGreaterThan(0)
    const before = asked.length
    await (await one.prompt('last', 'long')).result()
    expect(asked.slice(before).at(-1)).toContain('SUMMED UP')
    expect(await allMessages(one, 'long')).toHaveLength(18)
  })

  test('a slow reader gets all of it, in few pieces', async () => {
    const one = await start({
      async *script() {
        for (let count = 0; count < 5_000; count++) yield says('0123456789')
        yield ends()
      },
    })
    const turn = await one.prompt('much')
    const frames = []
    for await (const frame of turn.frames()) {
      frames.push(frame)
      if (frames.length === 1) await turn.result()
    }
    expect(merge(frames)[0]).toStrictEqual({ type: 'text', content: '0123456789'.repeat(5_000) })
    expect(frames.length).toBeLessThan(50)
  })

  test('a turn that has grown long is read on from the store when it is over', async () => {
    const one = await start({
      *script({ messages }) {
        const step = messages.filter(({ role }) => role === 'assistant').length
        yield says(`step ${step} `)
        for (let call = 0; step < 6 && call < 8; call++) yield calls(`${step}-${call}`, 'look', { call })
        yield ends()
      },
      toolList: [toolNamed('look', async ({ call }) => ({ content: [{ type: 'text', text: `${call}` }] }))],
    })
    const turn = await one.prompt('work')
    const frames = []
    for await (const frame of turn.frames()) {
      frames.push(frame)
      if (frames.length === 10) await turn.result()
    }
    expect(merge(frames)).toHaveLength(6 * 17 + 1 + 2)
    expect(merge(await collect(turn))).toStrictEqual(merge(frames))
    expect((await turn.result()).text).toBe('step 0 step 1 step 2 step 3 step 4 step 5 step 6 ')
  })

  test('what a prompt brings for itself is used in its turn alone, also after a decision elsewhere', async () => {
    const asked: string[] = []
    const script: ProcessOptions['script'] = ({ system, tools, messages }) => {
      asked.push(`${system} | ${tools.map(({ name }) => name)}`)
      return messages.at(-1)?.role === 'user' ? [calls('c1', 'look'), ends()] : [says('ok'), ends()]
    }
    const toolList = [toolNamed('look', async () => ({ content: [] }))]
    const extraTools = [toolNamed('show', async () => ({ content: [] }))]
    const one = await start({ script, toolList })
    const two = await start({ script, toolList })
    const request = { owner: 'ada', agentId: 'careful', message: 'hi', conversationId: 'extra' }
    await (await one.turns.prompt({ ...request, extraTools, extraInstructions: 'Be \0 brief.' })).result()
    const decision = { owner: 'ada', conversationId: 'extra', callId: 'c1', isApproved: true, extraTools }
    await (await two.turns.decide(decision))?.result()
    await (await one.turns.prompt(request)).result()
    const [own, extra] = ['Write. | look', 'Write.\n\nBe \0 brief. | look,show']
    expect(asked).toStrictEqual([extra, extra, own])
  })

  test('the built-in guide answers', async () => {
    const guide = createGuide()
    const one = await start({
      models: { list: () => [], isPriced: async () => true, open: async () => guide },
    })
    const turn = await one.prompt('What can you do?')
    const result = await turn.result()
    expect(result).toMatchObject({ status: 'complete' })
    expect(result.text.length).toBeGreaterThan(20)
    const joined = await one.turns.join('ada', turn.conversationId)
    expect(joined && merge(await collect(joined))).toStrictEqual(merge(await collect(turn)))
  })
})
