import { describe, expect, test } from 'vitest'
import { AgentError } from '../agent-error.ts'
import { runAgent } from './run-agent.ts'
import {
  answer,
  calls,
  collect,
  ends,
  expectAnswered,
  type Line,
  options,
  resultTexts,
  says,
  scriptedModel,
  thinks,
  toolNamed,
  user,
} from './script.fixture.ts'

const down = new AgentError('unavailable', 'The provider cannot be reached. Try again.')

describe('a model that fails', () => {
  test('in the middle leaves its words, no call, an error and the end', async () => {
    const script: readonly Line[] = [thinks('Hm.'), says('I w'), says('ill'), calls('c1', 'add'), down]
    const run = runAgent({}, [user('Go.')], options(scriptedModel(script)))
    const events = await collect(run)
    expect(events.slice(3)).toEqual([
      {
        type: 'message',
        message: { role: 'assistant', parts: [{ type: 'text', text: 'I will' }] },
        usage: { promptTokens: 0, completionTokens: 0 },
      },
      { type: 'error', error: down },
      { type: 'done', reason: 'failed', usage: { promptTokens: 0, completionTokens: 0 } },
    ])
    expect(await run.result()).toMatchObject({ reason: 'failed', error: down, text: 'I will' })
  })

  test('leaves none of the marks of an answer that its provider never finished', async () => {
    const metadata = { provider: { id: 'item-1' } }
    const script: readonly Line[] = [says('Half'), { type: 'part_end', part: 'text', metadata }, down]
    const { messages } = await runAgent({}, [user('Go.')], options(scriptedModel(script))).result()
    expect(messages).toStrictEqual([{ role: 'assistant', parts: [{ type: 'text', text: 'Half' }] }])
  })

  test.each<[string, readonly Line[]]>([
    ['at once', [down]],
    ['after a thought', [thinks('Hm.'), down]],
    ['after a call', [calls('c1', 'add'), down]],
  ])('%s leaves no message', async (_when, script) => {
    const run = runAgent({}, [user('Go.')], options(scriptedModel(script)))
    const events = await collect(run)
    expect(events.filter(({ type }) => type === 'message')).toEqual([])
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'done'])
  })

  test('after a step leaves what was done in it', async () => {
    const model = scriptedModel([calls('c1', 'add'), ends('tool_calls')], [down])
    const run = runAgent({}, [user('Go.')], options(model, [toolNamed('add', () => answer('3'))]))
    const { reason, messages, usage } = await run.result()
    expect(reason).toBe('failed')
    expect(resultTexts(messages)).toEqual({ c1: '3' })
    expect(usage).toEqual({ promptTokens: 10, completionTokens: 5 })
  })

  test('with an error that is not for the user is an internal failure with its cause', async () => {
    const bug = new TypeError('secret internals')
    const { error } = await runAgent({}, [user('Go.')], options(scriptedModel([bug]))).result()
    expect(error).toMatchObject({ fault: 'internal', cause: bug })
    expect(error?.message).not.toContain('secret')
  })

  test('before it streams at all is a failure too', async () => {
    const model = {
      ...scriptedModel(),
      stream() {
        throw down
      },
    }
    expect(await runAgent({}, [user('Go.')], options(model)).result()).toMatchObject({ error: down })
  })

  test('after its last word has answered all the same', async () => {
    const result = await runAgent(
      {},
      [user('Go.')],
      options(scriptedModel([says('Yes.'), ends(), down])),
    ).result()
    expect(result).toMatchObject({ reason: 'end', text: 'Yes.' })
    expect(result.error).toBeUndefined()
  })

  test.each<[string, readonly Line[], string]>([
    ['ends without an end', [says('Half')], 'garbled'],
    ['says nothing at all', [ends('stop')], 'garbled'],
    ['says nothing but empty fragments', [says(''), thinks(''), ends('stop')], 'garbled'],
    ['has its limit filled before it says anything', [ends('length')], 'garbled'],
    ['has all of its answer kept back', [ends('filtered')], 'refused'],
    ['never stops', Array.from({ length: 5 }, () => says('x'.repeat(1_000_000))), 'garbled'],
  ])('because it %s', async (_what, script, fault) => {
    const run = runAgent({}, [user('Go.')], options(scriptedModel(script)))
    const events = await collect(run)
    expect(events.at(-2)).toMatchObject({ type: 'error', error: { fault } })
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'failed' })
  })

  test('and says nothing is paid for all the same', async () => {
    const { usage, messages } = await runAgent(
      {},
      [user('Go.')],
      options(scriptedModel([ends('length', 7, 9)])),
    ).result()
    expect(usage).toEqual({ promptTokens: 7, completionTokens: 9 })
    expect(messages).toEqual([])
  })
})

describe('the limit of steps', () => {
  const again = (id: string): readonly Line[] => [says('Again.'), calls(id, 'add'), ends('tool_calls')]

  test.each([
    [undefined, 16],
    [Number.NaN, 16],
    [3, 3],
    [2.9, 2],
    [1, 1],
    [0, 1],
    [-5, 1],
  ])('of %s lets the model be asked %i times', async (maxSteps, times) => {
    let called = 0
    const add = toolNamed('add', () => {
      called += 1
      return answer('3')
    })
    const model = scriptedModel(...Array.from({ length: 20 }, (_, index) => again(`c${index}`)))
    const run = runAgent({ maxSteps }, [user('Go.')], options(model, [add]))
    const events = await collect(run)
    expect(model.requests).toHaveLength(times)
    expect(called).toBe(times - 1)
    expect(events.at(-3)).toMatchObject({
      type: 'message',
      message: { role: 'tool', result: { isError: true } },
    })
    expect(events.at(-2)).toMatchObject({ type: 'error', error: { fault: 'steps' } })
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'failed' })
    const { messages } = await run.result()
    expectAnswered(messages)
    expect(Object.values(resultTexts(messages)).at(-1)).toContain(`the limit of ${times} steps`)
  })

  test('is not reached by an answer in the last step', async () => {
    const model = scriptedModel(again('c1'), [says('Done.'), ends()])
    const run = runAgent(
      { maxSteps: 2 },
      [user('Go.')],
      options(model, [toolNamed('add', () => answer('3'))]),
    )
    expect(await run.result()).toMatchObject({ reason: 'end', text: 'Done.' })
  })
})

describe('an abort', () => {
  test('before the start asks nobody anything', async () => {
    const model = scriptedModel([says('Hello.'), ends()])
    const run = runAgent({}, [user('Go.')], options(model, [], { signal: AbortSignal.abort() }))
    expect((await collect(run)).map(({ type }) => type)).toEqual(['done'])
    expect((await run.result()).reason).toBe('aborted')
    expect(model.requests).toHaveLength(0)
  })

  test.each<[string, Line]>([
    ['heeds it', 'silence'],
    ['does not heed it', 'deafness'],
  ])('leaves what a model that %s has said', async (_what, waits) => {
    const control = new AbortController()
    const model = scriptedModel([thinks('Hm.'), says('One'), calls('c1', 'add'), waits])
    const run = runAgent({}, [user('Go.')], options(model, [], { signal: control.signal }))
    const events = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'text') setImmediate(() => control.abort())
    }
    expect(events.slice(2)).toEqual([
      {
        type: 'message',
        message: { role: 'assistant', parts: [{ type: 'text', text: 'One' }] },
        usage: { promptTokens: 0, completionTokens: 0 },
      },
      { type: 'done', reason: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } },
    ])
    expect(model.requests[0]?.signal.aborted).toBe(true)
  })

  test('reaches the tools, with its reason, and answers for those that do not heed it', async () => {
    const control = new AbortController()
    const reasons: unknown[] = []
    const deaf = toolNamed('deaf', (_args, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason), { once: true })
      return new Promise(() => undefined)
    })
    const late = toolNamed('late', (_args, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => setImmediate(() => reject(new Error('too late'))), {
          once: true,
        })
      })
    })
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`)
    const model = scriptedModel([
      says('I try.'),
      ...ids.map((id, index) => calls(id, index % 2 === 0 ? 'deaf' : 'late')),
      ends('tool_calls'),
    ])
    const run = runAgent({}, [user('Go.')], options(model, [deaf, late], { signal: control.signal }))
    const why = new Error('The user left.')
    const result = run.result()
    await expect.poll(() => model.requests.length).toBe(1)
    setImmediate(() => control.abort(why))
    const { reason, messages } = await result
    expect(reason).toBe('aborted')
    expectAnswered(messages)
    const texts = Object.values(resultTexts(messages))
    // Eight were at work, four were still to begin.
    expect(texts.filter((text) => text.includes('may have taken effect'))).toHaveLength(8)
    expect(texts.filter((text) => text.includes('before it began'))).toHaveLength(4)
    expect(reasons).toEqual([why, why, why, why])
    expect(model.requests).toHaveLength(1)
  })

  test('after the last word changes nothing', async () => {
    const control = new AbortController()
    const run = runAgent(
      {},
      [user('Go.')],
      options(scriptedModel([says('Yes.'), ends()]), [], { signal: control.signal }),
    )
    for await (const event of run) if (event.type === 'message') control.abort()
    expect((await run.result()).reason).toBe('end')
  })
})
