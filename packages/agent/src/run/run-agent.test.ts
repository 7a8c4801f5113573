import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../event.ts'
import type { ToolResult } from '../tool.ts'
import { runAgent } from './run-agent.ts'
import {
  answer,
  calls,
  collect,
  ends,
  expectAnswered,
  options,
  resultTexts,
  says,
  scriptedModel,
  thinks,
  toolNamed,
  user,
} from './script.fixture.ts'

const add = toolNamed('add', ({ a, b }) => answer(String(Number(a) + Number(b))))

describe('a run', () => {
  test('tells the fragments, the calls, each message and the end, in this order', async () => {
    const model = scriptedModel(
      [
        thinks('Let me '),
        thinks('add.'),
        says('I '),
        says('add.'),
        calls('c1', 'add', { a: 1, b: 2 }),
        ends('tool_calls'),
      ],
      [says('3'), ends('stop', 20, 1)],
    )
    const run = runAgent({ systemPrompt: 'Be brief.' }, [user('1 + 2?')], options(model, [add]))

    const first = {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Let me add.' },
        { type: 'text', text: 'I add.' },
        { type: 'tool_call', id: 'c1', name: 'add', args: { a: 1, b: 2 } },
      ],
    }
    const second = { role: 'tool', callId: 'c1', name: 'add', result: answer('3') }
    const third = { role: 'assistant', parts: [{ type: 'text', text: '3' }] }
    expect(await collect(run)).toEqual([
      { type: 'reasoning', text: 'Let me ' },
      { type: 'reasoning', text: 'add.' },
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'add.' },
      { type: 'tool_call', call: { id: 'c1', name: 'add', args: { a: 1, b: 2 } } },
      { type: 'message', message: first, usage: { promptTokens: 10, completionTokens: 5 } },
      { type: 'message', message: second },
      { type: 'text', text: '3' },
      { type: 'message', message: third, usage: { promptTokens: 20, completionTokens: 1 } },
      { type: 'done', reason: 'end', finish: 'stop', usage: { promptTokens: 30, completionTokens: 6 } },
    ])
    expect(await run.result()).toEqual({
      reason: 'end',
      finish: 'stop',
      text: '3',
      messages: [first, second, third],
      pending: [],
      usage: { promptTokens: 30, completionTokens: 6 },
    })
    expect(model.requests.map(({ system }) => system)).toEqual(['Be brief.', 'Be brief.'])
    expect(model.requests[0]?.tools).toEqual([
      { name: 'add', description: 'The tool add.', inputSchema: { type: 'object' } },
    ])
    expect(model.requests[0]?.messages).toEqual([user('1 + 2?')])
    expect(model.requests[1]?.messages).toEqual([user('1 + 2?'), first, second])
  })

  test('calls no tool before the event after the message of its call is asked for', async () => {
    let isCalled = false
    const tool = toolNamed('touch', () => {
      isCalled = true
      return answer('touched')
    })
    const model = scriptedModel([calls('c1', 'touch'), ends('tool_calls')], [says('Done.'), ends()])
    const events = runAgent({}, [user('Touch.')], options(model, [tool]))[Symbol.asyncIterator]()

    expect((await events.next()).value).toMatchObject({ type: 'tool_call' })
    expect((await events.next()).value).toMatchObject({ type: 'message', message: { role: 'assistant' } })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isCalled).toBe(false)
    expect((await events.next()).value).toMatchObject({ type: 'message', message: { role: 'tool' } })
    expect(isCalled).toBe(true)
    await events.return?.()
  })

  test('asks nothing before its first event is asked for', async () => {
    const model = scriptedModel([says('Hello.'), ends()])
    const run = runAgent({}, [user('Hi.')], options(model))
    await new Promise((resolve) => setImmediate(resolve))
    expect(model.requests).toHaveLength(0)
    await run.result()
    expect(model.requests).toHaveLength(1)
  })

  test('calls the tools of one step at the same time and tells results as they come', async () => {
    const gates = new Map<string, (result: ToolResult) => void>()
    const wait = toolNamed(
      'wait',
      (_args, { callId }) => new Promise((resolve) => gates.set(callId, resolve)),
    )
    const ids = ['c1', 'c2', 'c3']
    const model = scriptedModel(
      [...ids.map((id) => calls(id, 'wait')), ends('tool_calls')],
      [says('All.'), ends()],
    )
    const run = runAgent({}, [user('Wait.')], options(model, [wait]))
    const finished: string[] = []
    const result = (async () => {
      for await (const event of run) {
        if (event.type === 'message' && event.message.role === 'tool') finished.push(event.message.callId)
      }
    })()
    await expect.poll(() => gates.size).toBe(3)
    for (const id of ['c3', 'c1', 'c2']) {
      gates.get(id)?.(answer(id))
      await expect.poll(() => finished.at(-1)).toBe(id)
    }
    await result
    expect(finished).toEqual(['c3', 'c1', 'c2'])
  })

  test('has at most eight tools at work at once, and all have their turn', async () => {
    let atWork = 0
    let most = 0
    const busy = toolNamed('busy', async () => {
      atWork += 1
      most = Math.max(most, atWork)
      await new Promise((resolve) => setImmediate(resolve))
      atWork -= 1
      return answer('ok')
    })
    const ids = Array.from({ length: 30 }, (_, index) => `c${index}`)
    const model = scriptedModel(
      [...ids.map((id) => calls(id, 'busy')), ends('tool_calls')],
      [says('All.'), ends()],
    )
    const { messages } = await runAgent({}, [user('Work.')], options(model, [busy])).result()
    expect(most).toBe(8)
    expect(Object.keys(resultTexts(messages))).toHaveLength(30)
    expectAnswered(messages)
  })

  test.each(['length', 'filtered', 'other'] as const)(
    'that ends with "%s" ends normally and says so',
    async (reason) => {
      const run = runAgent({}, [user('Hi.')], options(scriptedModel([says('Half an ans'), ends(reason)])))
      const events = await collect(run)
      expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'end', finish: reason })
      expect(await run.result()).toMatchObject({ reason: 'end', finish: reason, text: 'Half an ans' })
    },
  )

  test('gives each call an id of its own where the model does not', async () => {
    const model = scriptedModel(
      [
        calls('c1', 'add', { a: 1, b: 1 }),
        calls('', 'add', { a: 2, b: 2 }),
        calls('', 'add', { a: 3, b: 3 }),
        ends(),
      ],
      [calls('c1', 'add', { a: 4, b: 4 }), ends()],
      [says('ok'), ends()],
    )
    const old = { type: 'tool_call', id: 'call', name: 'add', args: {} } as const
    const before = [
      user('Hi.'),
      { role: 'assistant', parts: [old] },
      { role: 'tool', callId: 'call', name: 'add', result: answer('0') },
    ] as const
    const { messages } = await runAgent({}, before, options(model, [add])).result()
    expect(resultTexts(messages)).toEqual({ c1: '2', 'call-2': '4', 'call-3': '6', 'c1-2': '8' })
    expectAnswered(messages)
  })
})

describe('the reader of a run', () => {
  test('is the only one', async () => {
    const run = runAgent({}, [user('Hi.')], options(scriptedModel([says('Hello.'), ends()])))
    await collect(run)
    expect(() => run[Symbol.asyncIterator]()).toThrow('This run is read already')
    expect((await run.result()).text).toBe('Hello.')
  })

  test('comes too late once the result was asked for', async () => {
    const run = runAgent({}, [user('Hi.')], options(scriptedModel([says('Hello.'), ends()])))
    const result = run.result()
    expect(() => run[Symbol.asyncIterator]()).toThrow('Ask for result()')
    expect((await result).text).toBe('Hello.')
    expect(await run.result()).toBe(await result)
  })

  test('may ask for the result in the middle', async () => {
    const run = runAgent({}, [user('Hi.')], options(scriptedModel([says('Hello.'), ends()])))
    const results: Promise<unknown>[] = []
    for await (const _event of run) results.push(run.result())
    expect(await Promise.all(results)).toHaveLength(3)
  })

  test('has the result when it sees the last event', async () => {
    const run = runAgent({}, [user('Hi.')], options(scriptedModel([says('Hello.'), ends()])))
    const events = run[Symbol.asyncIterator]()
    let last: AgentEvent | undefined
    while (last?.type !== 'done') last = (await events.next()).value
    expect(await run.result()).toMatchObject({ reason: 'end' })
  })

  test('aborts model and tools when it leaves, and the result is still whole', async () => {
    const signals: AbortSignal[] = []
    const stubborn = toolNamed('stubborn', (_args, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    })
    const quick = toolNamed('quick', () => answer('quick'))
    const model = scriptedModel([
      says('Well.'),
      calls('c1', 'stubborn'),
      calls('c2', 'quick'),
      ends('tool_calls'),
    ])
    const run = runAgent({}, [user('Go.')], options(model, [stubborn, quick]))
    for await (const event of run) if (event.type === 'message' && event.message.role === 'tool') break
    const { reason, messages } = await run.result()
    expect(reason).toBe('aborted')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expectAnswered(messages)
    expect(resultTexts(messages).c1).toContain('cancelled')
    expect(model.requests).toHaveLength(1)
  })

  test('aborts nothing when it leaves at the last event', async () => {
    const model = scriptedModel([says('Hello.'), ends()])
    const run = runAgent({}, [user('Hi.')], options(model))
    for await (const event of run) if (event.type === 'done') break
    expect(model.requests[0]?.signal.aborted).toBe(false)
    expect((await run.result()).reason).toBe('end')
  })

  test('aborts a model that it is waiting for', async () => {
    const model = scriptedModel([says('Well'), 'deafness'])
    const run = runAgent({}, [user('Go.')], options(model))
    const events = run[Symbol.asyncIterator]()
    await events.next()
    const next = events.next()
    expect(await events.return?.()).toEqual({ done: true, value: undefined })
    expect((await next).value).toMatchObject({ type: 'message' })
    expect(model.requests[0]?.signal.aborted).toBe(true)
    expect(await run.result()).toMatchObject({ reason: 'aborted', text: 'Well' })
    expect((await events.next()).done).toBe(true)
  })
})
