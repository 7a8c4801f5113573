import { AgentError } from '@quire/agent/agent-error'
import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  AGENT,
  allMessages,
  calls,
  collect,
  ends,
  merge,
  type ProcessOptions,
  type Script,
  says,
  startProcess,
  type TestProcess,
  toolNamed,
  typesOf,
} from './turns.fixture.ts'

describe.each(testDatabases)('turns on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let script: Script

  beforeAll(async () => {
    database = await createDatabase()
    one = await start({ script: (request) => script(request) })
  })
  afterAll(async () => {
    await one.stop()
    await database.drop()
  })

  const start = (options: ProcessOptions) => startProcess(database.url, options)
  async function another(options: ProcessOptions = {}) {
    const process = await start({ script: (request) => script(request), ...options })
    onTestFinished(() => process.stop())
    return process
  }

  test('a prompt opens a conversation, and its answer is stored with what it took', async () => {
    verifies('RT-PROMPT-6', 'RT-FRAME-9')
    script = () => [says('Hel'), says('lo'), ends(10, 5)]
    const turn = await one.prompt('  Say hello \nplease')
    const frames = await collect(turn)
    expect(merge(frames)).toStrictEqual([
      { type: 'text', content: 'Hello' },
      { type: 'usage', prompt_tokens: 10, completion_tokens: 5, cost_usd: 0.05 },
      { type: 'done' },
    ])
    expect(await turn.result()).toStrictEqual({
      status: 'complete',
      text: 'Hello',
      toolCalls: [],
      usage: { promptTokens: 10, completionTokens: 5, cost: 0.05 },
    })
    expect(await one.conversations.find('ada', turn.conversationId)).toMatchObject({
      owner: 'ada',
      agentId: AGENT.id,
      title: 'Say hello',
      status: 'idle',
      usage: { promptTokens: 10, completionTokens: 5, cost: 0.05 },
    })
    expect(await allMessages(one, turn.conversationId)).toMatchObject([
      { message: { role: 'user', text: '  Say hello \nplease' }, status: 'complete', turnId: turn.id },
      {
        message: { role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
        status: 'complete',
        usage: { completionTokens: 5 },
      },
    ])
  })

  test('an unknown id opens a conversation under that id; a known one goes on', async () => {
    verifies('RT-PROMPT-7')
    const asked: unknown[] = []
    script = ({ messages }) => {
      asked.push(messages)
      return [says(`Answer ${messages.length}`), ends()]
    }
    await (await one.prompt('first', 'mine')).result()
    await (await one.prompt('second', 'mine')).result()
    expect(asked[1]).toStrictEqual([
      { role: 'user', text: 'first' },
      { role: 'assistant', parts: [{ type: 'text', text: 'Answer 1' }] },
      { role: 'user', text: 'second' },
    ])
    expect(await one.conversations.find('ada', 'mine')).toMatchObject({
      usage: { promptTokens: 20, completionTokens: 10, cost: 0.1 },
    })
  })

  test('an answer is cut into the same slots whether it is read live or from the store', async () => {
    verifies('RT-FRAME-2', 'RT-FRAME-3', 'RT-FRAME-4', 'RT-FRAME-5', 'RT-FRAME-6', 'RT-FRAME-7', 'RT-FRAME-8')
    const two = await another({
      toolList: [
        toolNamed('add', async ({ a, b }) => ({
          content: [{ type: 'text', text: `${Number(a) + Number(b)}` }],
        })),
      ],
    })
    script = ({ messages }) =>
      messages.length === 1
        ? [
            says('Let me '),
            calls('c1', 'add', { a: 1, b: 2 }),
            says('see.'),
            calls('c2', 'add', { a: 3, b: 4 }),
            ends(),
          ]
        : [says('Three and '), says('seven.'), ends()]
    const turn = await two.prompt('add')
    const live = await collect(turn)
    expect(merge(live)).toStrictEqual([
      { type: 'text', content: 'Let me see.' },
      { type: 'tool_call', id: 'c1', name: 'add', args: { a: 1, b: 2 } },
      { type: 'tool_call', id: 'c2', name: 'add', args: { a: 3, b: 4 } },
      { type: 'tool_result', tool_call_id: 'c1', result: { content: [{ type: 'text', text: '3' }] } },
      { type: 'tool_result', tool_call_id: 'c2', result: { content: [{ type: 'text', text: '7' }] } },
      { type: 'text', content: 'Three and seven.' },
      { type: 'usage', prompt_tokens: 20, completion_tokens: 10, cost_usd: 0.1 },
      { type: 'done' },
    ])
    const joined = await one.turns.join('ada', turn.conversationId)
    if (joined === undefined) throw new Error('no turn')
    const stored = await collect(joined)
    expect(merge(stored)).toStrictEqual(merge(live))
    for (const [index, { id }] of live.entries()) {
      const rest = await collect(joined, id)
      expect(merge([...live.slice(0, index + 1), ...rest])).toStrictEqual(merge(live))
      expect(merge([...live.slice(0, index + 1), ...(await collect(turn, id))])).toStrictEqual(merge(live))
    }
    expect(await joined.result()).toStrictEqual(await turn.result())
    expect((await turn.result()).toolCalls).toMatchObject([
      { id: 'c1', result: {} },
      { id: 'c2', result: {} },
    ])
  })

  test('refuses prompts on what is busy, another’s or another agent’s', async () => {
    verifies('RT-PROMPT-8', 'RT-PROMPT-9', 'RT-PROMPT-10', 'RT-CONV-12')
    const release = Promise.withResolvers<void>()
    script = async function* () {
      await release.promise
      yield says('late')
      yield ends()
    }
    const turn = await one.prompt('wait')
    const again = (owner: string, agentId: string) =>
      one.turns.prompt({ owner, agentId, message: 'more', conversationId: turn.conversationId })
    await expect(again('ada', AGENT.id)).rejects.toMatchObject({ problem: { status: 409 } })
    await expect(again('bob', AGENT.id)).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(again('ada', 'careful')).rejects.toMatchObject({ problem: { status: 409 } })
    await expect(again('ada', 'nobody')).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(one.turns.join('bob', turn.conversationId)).rejects.toMatchObject({
      problem: { status: 404 },
    })
    await expect(one.turns.cancel('bob', turn.conversationId)).rejects.toMatchObject({
      problem: { status: 404 },
    })
    expect(await one.conversations.find('bob', turn.conversationId)).toBeUndefined()
    expect(await one.conversations.remove('bob', turn.conversationId)).toBe(false)
    release.resolve()
    expect(await turn.result()).toMatchObject({ status: 'complete', text: 'late' })
  })

  test('of twenty prompts at once one wins, whichever process they reach', async () => {
    verifies('RT-PROMPT-10')
    const two = await another()
    for (const round of ['new', 'known']) {
      const release = Promise.withResolvers<void>()
      script = async function* () {
        await release.promise
        yield says('won')
        yield ends()
      }
      const attempts = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? one : two).prompt(`prompt ${round} ${index}`, 'raced'),
      )
      const outcomes = await Promise.allSettled(attempts)
      const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(won).toHaveLength(1)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ problem: { status: 409 } })
      release.resolve()
      await won[0]?.result()
    }
    expect(await allMessages(one, 'raced')).toHaveLength(4)
  })

  test.each([
    ['unconfigured', 503],
    ['rate_limited', 503],
    ['unavailable', 502],
    ['refused', 502],
    ['garbled', 502],
    ['unknown_model', 502],
    ['too_long', 413],
    ['internal', 500],
  ] as const)(
    'a failure of the kind %s is told with status %i, and what was said is kept as partial',
    async (fault, status) => {
      verifies('RT-FRAME-10')
      script = function* () {
        if (fault !== 'too_long') yield says('half')
        throw new AgentError(fault, 'The secret reason.', { retryAfterMs: 1_500 })
      }
      const turn = await one.prompt('fail')
      const detail = fault === 'internal' ? expect.not.stringContaining('secret') : 'The secret reason.'
      const frames = merge(await collect(turn))
      expect(frames.slice(-3)).toStrictEqual([
        { type: 'usage', prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 },
        { type: 'error', detail, status_code: status, retry_after: 2 },
        { type: 'done' },
      ])
      expect(await turn.result()).toMatchObject({
        status: 'failed',
        error: { statusCode: status, retryAfterSeconds: 2 },
      })
      expect(await one.conversations.find('ada', turn.conversationId)).toMatchObject({ status: 'failed' })
      const answers = (await allMessages(one, turn.conversationId)).slice(1)
      expect(answers.map((message) => message.status)).toStrictEqual(fault === 'too_long' ? [] : ['partial'])
      script = () => [says('better'), ends()]
      await expect((await one.prompt('again', turn.conversationId)).result()).resolves.toMatchObject({
        text: 'better',
      })
    },
  )

  test('a turn goes on when nobody watches', async () => {
    verifies('RT-PROMPT-11')
    const release = Promise.withResolvers<void>()
    script = async function* () {
      yield says('be')
      await release.promise
      yield says('gun')
      yield ends()
    }
    const turn = await one.prompt('go')
    const leaving = new AbortController()
    for await (const { frame } of turn.frames({ signal: leaving.signal })) {
      expect(frame).toStrictEqual({ type: 'text', content: 'be' })
      leaving.abort()
    }
    release.resolve()
    await vi.waitFor(
      async () =>
        expect(await one.conversations.find('ada', turn.conversationId)).toMatchObject({ status: 'idle' }),
      30_000,
    )
    expect(typesOf(await collect(turn))).toStrictEqual(['text', 'usage', 'done'])
  })

  test.each(['a model', 'a tool'])('cancels a turn whose %s does not listen', async (what) => {
    const deaf = await another({ toolList: [toolNamed('deaf', () => new Promise(() => undefined))] })
    script = async function* () {
      yield says('half an ans')
      if (what === 'a tool') {
        yield calls('c1', 'deaf')
        yield ends()
      } else await new Promise(() => undefined)
    }
    const turn = await deaf.prompt('hang')
    const last = what === 'a tool' ? 'tool_call' : 'text'
    for await (const { frame } of turn.frames()) if (frame.type === last) break
    expect(await deaf.turns.cancel('ada', turn.conversationId)).toBe('cancelled')
    expect(await turn.result()).toMatchObject({ status: 'cancelled', text: 'half an ans' })
    expect(await deaf.turns.cancel('ada', turn.conversationId)).toBe('none')
    expect(await one.conversations.find('ada', turn.conversationId)).toMatchObject({ status: 'cancelled' })
    const stored = await allMessages(one, turn.conversationId)
    expect(stored.at(-1)).toMatchObject(
      what === 'a tool' ? { message: { role: 'tool', result: { isError: true } } } : { status: 'partial' },
    )
  })
})
