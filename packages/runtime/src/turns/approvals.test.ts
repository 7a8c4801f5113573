import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  AGENT,
  calls,
  collect,
  ends,
  merge,
  says,
  startProcess,
  type TestProcess,
  toolNamed,
  typesOf,
} from './turns.fixture.ts'

describe.each(testDatabases)('approvals on $kind', ({ createDatabase }) => {
  const ran = vi.fn<(args: unknown) => void>()
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess

  const start = () =>
    startProcess(database.url, {
      script: ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool')
        return results.length === 0
          ? [says('May I?'), calls('c1', 'erase', { what: 'a' }), calls('c2', 'erase', { what: 'b' }), ends()]
          : [says(' Done.'), ends()]
      },
      toolList: [
        toolNamed('erase', async (args) => {
          ran(args)
          return { content: [{ type: 'text', text: 'erased' }] }
        }),
      ],
    })

  beforeAll(async () => {
    database = await createDatabase()
    one = await start()
  })
  beforeEach(() => void ran.mockClear())
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  const decide = (on: TestProcess, conversationId: string, callId: string, isApproved = true, more = {}) =>
    on.turns.decide({ owner: 'ada', conversationId, callId, isApproved, ...more })

  test('a turn waits, outlives its process, and goes on with the last decision', async () => {
    verifies('RT-FRAME-11')
    const first = await start()
    const turn = await first.prompt('erase', undefined, 'careful')
    const before = await collect(turn)
    expect(merge(before)).toStrictEqual([
      { type: 'text', content: 'May I?' },
      { type: 'tool_call', id: 'c1', name: 'erase', args: { what: 'a' } },
      { type: 'tool_call', id: 'c2', name: 'erase', args: { what: 'b' } },
      { type: 'approval_request', id: 'c1', name: 'erase', args: { what: 'a' } },
      { type: 'approval_request', id: 'c2', name: 'erase', args: { what: 'b' } },
      { type: 'usage', prompt_tokens: 10, completion_tokens: 5, cost_usd: 0.05 },
      { type: 'done' },
    ])
    expect(await turn.result()).toMatchObject({
      status: 'waiting',
      text: 'May I?',
      toolCalls: [{ id: 'c1' }, { id: 'c2' }],
    })
    await first.stop()

    const { conversationId } = turn
    expect(await one.conversations.find('ada', conversationId)).toMatchObject({ status: 'waiting' })
    await expect(one.prompt('more', conversationId, 'careful')).rejects.toMatchObject({
      problem: { status: 409 },
    })
    expect(await decide(one, conversationId, 'c2', false, { reason: 'Not that one.' })).toBeUndefined()
    await expect(decide(one, conversationId, 'c2')).rejects.toMatchObject({ problem: { status: 409 } })
    await expect(decide(one, conversationId, 'c3')).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(decide(one, 'nowhere', 'c1')).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(
      one.turns.decide({ owner: 'bob', conversationId, callId: 'c1', isApproved: true }),
    ).rejects.toMatchObject({ problem: { status: 404 } })
    expect(ran).not.toHaveBeenCalled()

    const resumed = await decide(one, conversationId, 'c1', true, { args: { what: 'c' } })
    expect(resumed?.id).toBe(turn.id)
    expect(await resumed?.result()).toMatchObject({
      status: 'complete',
      text: 'May I? Done.',
      usage: { promptTokens: 20, cost: 0.1 },
    })
    expect(ran.mock.calls).toStrictEqual([[{ what: 'c' }]])
    await expect(decide(one, conversationId, 'c1')).rejects.toMatchObject({ problem: { status: 409 } })

    // Places that were given before the pause, in it and after it lead to the same whole.
    if (resumed === undefined) throw new Error('no turn')
    const whole = await collect(resumed)
    expect(typesOf(whole)).toStrictEqual([
      ...['text', 'tool_call', 'tool_call', 'approval_request', 'approval_request'],
      ...['tool_result', 'tool_result', 'text', 'usage', 'done'],
    ])
    const after = whole.slice(5)
    for (const place of before.slice(4))
      expect(merge(await collect(resumed, place.id))).toStrictEqual(merge(after))
    const other = await start()
    onTestFinished(() => other.stop())
    const joined = await other.turns.join('ada', conversationId)
    if (joined === undefined) throw new Error('no turn')
    for (const { id } of [...before, ...whole])
      expect(merge(await collect(joined, id))).toStrictEqual(merge(await collect(resumed, id)))
    expect(await one.conversations.find('ada', conversationId)).toMatchObject({
      status: 'idle',
      usage: { promptTokens: 20, completionTokens: 10, cost: 0.1 },
    })
  })

  test('of decisions at once each counts, and one of them goes on', async () => {
    const turn = await one.prompt('erase', undefined, 'careful')
    await turn.result()
    const other = await start()
    onTestFinished(() => other.stop())
    const decisions = [one, other].flatMap((process) =>
      ['c1', 'c2'].map((callId) => decide(process, turn.conversationId, callId)),
    )
    const outcomes = await Promise.allSettled(decisions)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    const resumed = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : [],
    )
    expect(resumed).toHaveLength(1)
    expect(await resumed[0]?.result()).toMatchObject({ status: 'complete' })
    expect(ran).toHaveBeenCalledTimes(2)
  })

  test('a turn that waits can be cancelled, and the conversation goes on', async () => {
    const turn = await one.prompt('erase', undefined, 'careful')
    await turn.result()
    expect(await one.turns.cancel('ada', turn.conversationId)).toBe('cancelled')
    expect(await turn.result()).toMatchObject({
      status: 'cancelled',
      toolCalls: [{ result: { isError: true } }, { result: { isError: true } }],
    })
    await expect(decide(one, turn.conversationId, 'c1')).rejects.toMatchObject({ problem: { status: 409 } })
    expect(await (await one.prompt('next', turn.conversationId, 'careful')).result()).toMatchObject({
      text: ' Done.',
    })
    expect(ran).not.toHaveBeenCalled()
  })

  test('nobody is asked where the agent does not want it', async () => {
    verifies('RT-FRAME-11')
    const turn = await one.prompt('erase', undefined, AGENT.id)
    expect(typesOf(await collect(turn))).not.toContain('approval_request')
    expect(ran).toHaveBeenCalledTimes(2)
  })

  test('with its agent go the turns that run or wait', async () => {
    const turn = await one.prompt('erase', undefined, 'careful')
    await turn.result()
    await one.turns.cancelOf('careful')
    expect(await turn.result()).toMatchObject({ status: 'cancelled' })
  })
})
