import { verifies } from '@quire/spec/verifies'
import { describe, expect, test, vi } from 'vitest'
import { createSupervisorCalls } from './create-supervisor-calls.ts'
import { BudgetSpent } from './members.ts'
import { first, KEY, openRemote } from './remote.fixture.ts'
import { createRemoteAgents } from './remote-agents.ts'
import { type PeerTurn, startRuntimePeer } from './runtime-peer.fixture.ts'
import { createGate, TASK, TEAM } from './work.fixture.ts'

describe('a member that is an agent of a runtime', () => {
  test('is prompted once, in a conversation of the attempt, and its answer is one step', async () => {
    verifies('TM-MEMBER-2')
    const { peer, run } = await openRemote({ key: KEY })
    const { steps, error } = await run()
    expect(error).toBeUndefined()
    expect(steps).toEqual([
      {
        message: { role: 'assistant', parts: [{ type: 'text', text: 'Answer 1.' }] },
        spent: { promptTokens: 10, completionTokens: 5, cost: 0.01 },
        result: 'Answer 1.',
      },
    ])
    expect(peer.requests).toEqual(['GET /api/v1/conversations/attempt-1', 'POST /api/v1/agents/guide/prompt'])
    expect(peer.prompts[0]).toMatch(
      /^You are far\.\n\nYou are "far".*Task: "Report"\n\nWrite a report on bees\.$/s,
    )
  })

  test('gives as the result what it said last, behind its tools', async () => {
    const { run } = await openRemote({
      play(turn) {
        turn.say('Let me look.')
        turn.useTool()
        turn.say('It ')
        turn.say('is so.')
        turn.complete()
      },
    })
    expect((await run()).steps[0]?.result).toBe('It is so.')
  })

  test('answers what a review returned in the same conversation', async () => {
    const { peer, run } = await openRemote()
    const [one] = (await run()).steps
    const returned = { role: 'user', text: 'Returned.' } as const
    const steps = [...(one ? [one.message] : []), returned]
    expect((await run({ steps })).steps[0]?.result).toBe('Answer 2.')
    const again = [
      ...steps,
      { role: 'assistant', parts: [{ type: 'text', text: 'Answer 2.' }] } as const,
      returned,
    ]
    expect((await run({ steps: again })).steps[0]?.result).toBe('Answer 3.')
    expect(peer.prompts.slice(1)).toEqual(['Returned.', 'Returned.'])
    expect(peer.conversations.size).toBe(1)
  })

  test('is told all again where its conversation is gone', async () => {
    const { peer, run } = await openRemote()
    const steps = [{ role: 'user', text: 'Returned.' } as const]
    await run({ steps })
    expect(peer.prompts).toEqual([expect.stringMatching(/Task: "Report".*Returned\.$/s)])
    await run({ steps })
    expect(peer.prompts).toHaveLength(1)
  })

  test('has an id that any runtime takes', async () => {
    const { peer, run } = await openRemote()
    await run({ attemptId: 'task/1 é' })
    expect([...peer.conversations.keys()][0]).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('after a crash the conversation is looked at first', () => {
  test('an answer that is complete is taken', async () => {
    const { peer, run } = await openRemote({
      play(turn) {
        turn.say('Before.')
        turn.useTool()
        turn.say('The answer.')
        turn.complete()
      },
    })
    await run()
    const { steps } = await run()
    expect(steps).toMatchObject([{ result: 'The answer.', spent: { promptTokens: 20, cost: 0.02 } }])
    expect(peer.prompts).toHaveLength(1)
  })

  test('a turn that runs is joined, from its beginning', async () => {
    const turns: PeerTurn[] = []
    const { peer, run } = await openRemote({ play: (turn) => void turns.push(turn) })
    const lost = run()
    await vi.waitUntil(() => turns.length === 1, 30_000)
    turns[0]?.useTool()
    turns[0]?.say('First ')
    const second = run()
    await vi.waitUntil(() => peer.requests.includes('GET /api/v1/conversations/attempt-1/stream'), 30_000)
    turns[0]?.say('and last.')
    turns[0]?.complete()
    for (const { steps } of [await lost, await second])
      expect(steps).toMatchObject([{ result: 'First and last.', spent: { promptTokens: 10 } }])
    expect(peer.prompts).toHaveLength(1)
  })

  test.each(['interrupted', 'cancelled'] as const)('one that was %s is asked to go on', async (status) => {
    const control = new AbortController()
    const begun = Promise.withResolvers<PeerTurn>()
    const { peer, run } = await openRemote({ play: first(begun.resolve) })
    const lost = run({ signal: control.signal })
    const turn = await begun.promise
    turn.useTool()
    if (status === 'interrupted') turn.end('interrupted', 'The process ended.', 503)
    else control.abort(new Error('stopped'))
    await lost
    const { steps } = await run()
    expect(steps[0]?.result).toBe('Answer 2.')
    expect(peer.prompts).toHaveLength(2)
    expect(peer.prompts[1]).toMatch(/^You were interrupted/)
    expect(peer.prompts[1]).not.toContain('bees')
  })

  test('what an interrupted turn has cost is counted with the rest', async () => {
    const { run } = await openRemote({
      play: first((turn) => {
        turn.useTool()
        turn.end('interrupted', 'The process ended.', 503)
      }),
    })
    expect((await run()).steps[0]?.spent).toMatchObject({ promptTokens: 20, completionTokens: 10 })
  })

  test('one that is interrupted for ever is given up', async () => {
    const { peer, run } = await openRemote({
      play: (turn) => turn.end('interrupted', 'The process ended.', 503),
    })
    expect((await run()).error).toMatchObject({ fault: 'unavailable' })
    expect(peer.prompts).toHaveLength(4)
  })

  test('a turn that failed is not repeated', async () => {
    const { peer, run } = await openRemote({ play: (turn) => turn.end('failed') })
    await run()
    expect((await run()).error).toMatchObject({ fault: 'unavailable' })
    expect(peer.prompts).toHaveLength(1)
  })
})

describe('a connection that is lost', () => {
  test('is made again, and the turn joined', async () => {
    const { peer, run } = await openRemote({
      play(turn) {
        turn.say('The ')
        setImmediate(() => {
          turn.cutReaders()
          turn.say('answer.')
          turn.complete()
        })
      },
    })
    expect((await run()).steps[0]?.result).toBe('The answer.')
    expect(peer.prompts).toHaveLength(1)
  })

  test('a prompt whose answer was lost is not sent again', async () => {
    let cut = false
    const { peer, run } = await openRemote({
      play(turn) {
        turn.cutReaders()
        cut = true
        turn.say('Answer.')
        turn.complete()
      },
    })
    expect((await run()).steps[0]?.result).toBe('Answer.')
    expect(cut).toBe(true)
    expect(peer.prompts).toHaveLength(1)
  })

  test('silence counts as one', async () => {
    const { peer, run } = await openRemote({ play: () => undefined }, { silenceMs: 20 })
    expect((await run()).error).toMatchObject({ fault: 'unavailable' })
    expect(peer.prompts).toHaveLength(1)
    expect(peer.requests.at(-1)).toBe('POST /api/v1/conversations/attempt-1/cancel')
  })

  test('a runtime that is not there is told so after some attempts', async () => {
    const { peer, run } = await openRemote({
      intercept: (_request, response) => !!response.destroy(),
    })
    const { error } = await run()
    expect(error).toMatchObject({ fault: 'unavailable', message: expect.stringContaining(peer.origin) })
    expect(peer.requests).toHaveLength(9)
  })
})

describe('an abort', () => {
  test('cancels the turn there', async () => {
    const control = new AbortController()
    const reason = new Error('stopped')
    const begun = Promise.withResolvers<PeerTurn>()
    const { peer, run } = await openRemote({ play: begun.resolve })
    const running = run({ signal: control.signal })
    const turn = await begun.promise
    control.abort(reason)
    await turn.cancelled
    expect((await running).error).toBe(reason)
    expect(peer.conversations.get('attempt-1')?.status).toBe('cancelled')
  })

  test('comes before anything is sent', async () => {
    const { peer, run } = await openRemote()
    const reason = new Error('stopped')
    expect((await run({ signal: AbortSignal.abort(reason) })).error).toBe(reason)
    expect(peer.requests).toEqual([])
  })
})

test('the budget is asked for before each prompt', async () => {
  verifies('TM-BUDGET-2')
  const spent = new BudgetSpent('All is spent.')
  const { peer, run } = await openRemote({ play: (turn) => turn.end('interrupted', 'x', 503) })
  expect((await run({ gate: createGate(2, spent) })).error).toBe(spent)
  expect(peer.prompts).toHaveLength(2)
})

test('the key goes to its own runtime and to no other', async () => {
  const other = await startRuntimePeer()
  const { peer, agents, run } = await openRemote({}, { allowed: [] })
  expect((await run()).error).toMatchObject({ fault: 'refused' })
  expect(peer.requests).toEqual([])
  expect(agents.refusalOf(`${peer.agentsUrl}guide`)).toContain('not allowed')
  const both = createRemoteAgents({
    allowed: [{ url: peer.agentsUrl, key: KEY }, { url: other.agentsUrl }],
  })
  const question = { id: 'x', prompts: ['Hello'], gate: createGate(), signal: new AbortController().signal }
  await both.ask({ ...question, agentUrl: `${peer.agentsUrl}guide` })
  await both.ask({ ...question, agentUrl: `${other.agentsUrl}guide` })
  expect(new Set(peer.authorizations)).toEqual(new Set([`Bearer ${KEY}`]))
  expect(new Set(other.authorizations)).toEqual(new Set([undefined]))
})

describe('a supervisor that is an agent of a runtime', () => {
  async function ask(...answers: readonly string[]) {
    const { peer, agents, models, member } = await openRemote({
      play(turn) {
        turn.say(answers[turn.number - 1] ?? '')
        turn.complete()
      },
    })
    const team = { ...TEAM, members: [{ ...member, name: 'boss' }] }
    const calls = createSupervisorCalls({ models, agents })
    const candidates = ['boss', 'writer'].map((name) => ({ name, isBusy: false, taken: 0 }))
    const call = { team, task: TASK, inputs: [], callId: 'call-1', gate: createGate() }
    const route = () => calls.route({ ...call, candidates, signal: new AbortController().signal })
    return { peer, route }
  }

  test('is asked for the object in words', async () => {
    const { peer, route } = await ask('```json\n{"member": "boss", "reason": "x"}\n```')
    expect(await route()).toMatchObject({ memberName: 'boss', isFallback: false, spent: { cost: 0.01 } })
    expect(peer.prompts[0]).toMatch(
      /one JSON object and nothing else\. Its JSON Schema: \{.*"enum":\["boss","writer"\]/,
    )
    expect([...peer.conversations.keys()]).toEqual(['call-1'])
  })

  test('is asked twice where it makes no sense, and not again after a crash', async () => {
    const { peer, route } = await ask('Hm.', 'Hm again.')
    for (let time = 0; time < 2; time += 1)
      expect(await route()).toMatchObject({
        memberName: 'writer',
        isFallback: true,
        spent: { promptTokens: 20 },
      })
    expect(peer.prompts).toHaveLength(2)
  })
})
