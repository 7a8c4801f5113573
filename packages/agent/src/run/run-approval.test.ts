import { describe, expect, test } from 'vitest'
import type { Message } from '../message.ts'
import type { Tool } from '../tool.ts'
import { type Decision, runAgent } from './run-agent.ts'
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
  toolNamed,
  user,
} from './script.fixture.ts'

interface Watched {
  readonly tools: readonly Tool[]
  readonly made: [string, unknown][]
}

function watchedTools(): Watched {
  const made: [string, unknown][] = []
  const watch = (name: string): Tool['execute'] => {
    return async (args) => {
      made.push([name, args])
      return answer(`${name} done`)
    }
  }
  return {
    made,
    tools: [toolNamed('remove', watch('remove'), { needsApproval: true }), toolNamed('read', watch('read'))],
  }
}

const PAUSED: readonly Message[] = [
  user('Clean up.'),
  {
    role: 'assistant',
    parts: [
      { type: 'tool_call', id: 'r1', name: 'remove', args: { path: 'a' } },
      { type: 'tool_call', id: 'r2', name: 'remove', args: { path: 'b' } },
      { type: 'tool_call', id: 'q1', name: 'read', args: {} },
    ],
  },
  { role: 'tool', callId: 'q1', name: 'read', result: answer('read done') },
]

function decided(entries: Record<string, Decision>): { decisions: ReadonlyMap<string, Decision> } {
  return { decisions: new Map(Object.entries(entries)) }
}

describe('a call that a person has to approve', () => {
  test('stops the run after the other calls of its step', async () => {
    const { tools, made } = watchedTools()
    const model = scriptedModel([
      says('I clean.'),
      calls('r1', 'remove', { path: 'a' }),
      calls('q1', 'read'),
      calls('r2', 'remove', '{"broken'),
      ends('tool_calls'),
    ])
    const run = runAgent({}, [user('Clean up.')], options(model, tools))
    const events = await collect(run)
    const call = { id: 'r1', name: 'remove', args: { path: 'a' } }
    expect(events.slice(4)).toEqual([
      expect.objectContaining({ type: 'message' }),
      { type: 'approval_request', call },
      expect.objectContaining({ type: 'message', message: expect.objectContaining({ callId: 'r2' }) }),
      expect.objectContaining({ type: 'message', message: expect.objectContaining({ callId: 'q1' }) }),
      { type: 'done', reason: 'approval', usage: { promptTokens: 10, completionTokens: 5 } },
    ])
    const { reason, pending, messages } = await run.result()
    expect(reason).toBe('approval')
    expect(pending).toEqual([call])
    expect(made).toEqual([['read', {}]])
    expectAnswered(messages, ['r1'])
  })

  test('is made once it is approved, with the arguments that the person left or changed', async () => {
    const { tools, made } = watchedTools()
    const model = scriptedModel([says('Cleaned.'), ends()])
    const decisions = decided({ r1: { isApproved: true }, r2: { isApproved: true, args: { path: 'c' } } })
    const result = await runAgent({}, PAUSED, options(model, tools, decisions)).result()
    expect(result).toMatchObject({ reason: 'end', text: 'Cleaned.', pending: [] })
    expect(made).toEqual([
      ['remove', { path: 'a' }],
      ['remove', { path: 'c' }],
    ])
    expect(result.messages[0]).toEqual({
      role: 'tool',
      callId: 'r1',
      name: 'remove',
      result: answer('remove done'),
    })
    expect(result.messages[1]).toMatchObject({
      callId: 'r2',
      result: {
        content: [
          { text: 'A person changed the arguments of this call to: {"path":"c"}' },
          { text: 'remove done' },
        ],
      },
    })
    expectAnswered(model.requests[0]?.messages ?? [])
  })

  test('is not made where it is refused, and the model reads why', async () => {
    const { tools, made } = watchedTools()
    const model = scriptedModel([says('I leave it.'), ends()])
    const decisions = decided({
      r1: { isApproved: false, reason: 'It is precious.' },
      r2: { isApproved: false },
    })
    const { reason, messages } = await runAgent({}, PAUSED, options(model, tools, decisions)).result()
    expect(reason).toBe('end')
    expect(made).toEqual([])
    expect(resultTexts(messages).r1).toContain('The reason given: "It is precious". Do not call')
    expect(resultTexts(messages).r2).toContain('No reason was given.')
    expectAnswered(model.requests[0]?.messages ?? [])
  })

  test('stops the run again while it is not decided', async () => {
    const { tools, made } = watchedTools()
    const model = scriptedModel()
    const run = runAgent({}, PAUSED, options(model, tools, decided({ r2: { isApproved: true } })))
    expect((await collect(run)).map(({ type }) => type)).toEqual(['approval_request', 'message', 'done'])
    const { reason, pending, messages } = await run.result()
    expect(reason).toBe('approval')
    expect(pending).toEqual([{ id: 'r1', name: 'remove', args: { path: 'a' } }])
    expect(made).toEqual([['remove', { path: 'b' }]])
    expect(model.requests).toHaveLength(0)
    expectAnswered([...PAUSED, ...messages], ['r1'])
  })

  test('is cancelled with the run', async () => {
    const { tools, made } = watchedTools()
    const control = new AbortController()
    const run = runAgent({}, PAUSED, options(scriptedModel(), tools, { signal: control.signal }))
    let asked = 0
    for await (const event of run) {
      if (event.type !== 'approval_request') continue
      asked += 1
      control.abort()
    }
    expect(asked).toBe(1)
    const { reason, pending, messages } = await run.result()
    expect(reason).toBe('aborted')
    expect(pending).toEqual([])
    expect(made).toEqual([])
    expectAnswered([...PAUSED, ...messages])
  })

  test('cannot be approved by a decision on an earlier call of the same id', async () => {
    const { tools, made } = watchedTools()
    const model = scriptedModel([calls('r1', 'remove', { path: 'z' }), ends('tool_calls')])
    const decisions = decided({ r1: { isApproved: true }, r2: { isApproved: false } })
    const { pending } = await runAgent({}, PAUSED, options(model, tools, decisions)).result()
    expect(made).toEqual([['remove', { path: 'a' }]])
    expect(pending).toEqual([{ id: 'r1-2', name: 'remove', args: { path: 'z' } }])
  })
})

describe('a call left by an interrupted run', () => {
  const left = (name: string, more: object = {}): readonly Message[] => [
    user('Go.'),
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'x', name, args: {}, ...more }] },
  ]

  test.each([['read'], ['gone']])('of the tool "%s", without approval, is not made again', async (name) => {
    const { tools, made } = watchedTools()
    const { reason, messages } = await runAgent(
      {},
      left(name),
      options(scriptedModel([says('Ok.'), ends()]), tools),
    ).result()
    expect(reason).toBe('end')
    expect(made).toEqual([])
    expect(resultTexts(messages).x).toBe(
      'It is not known whether this call ran, because the run was interrupted. Check before you call it again.',
    )
  })

  test('is not said to have been cancelled where the next run is aborted at once', async () => {
    const { tools, made } = watchedTools()
    const more = { signal: AbortSignal.abort() }
    const result = await runAgent({}, left('read'), options(scriptedModel(), tools, more)).result()
    expect(result.reason).toBe('aborted')
    expect(made).toEqual([])
    expect(resultTexts(result.messages).x).toContain('It is not known whether this call ran')
  })

  test('is made where the caller knows that it never began', async () => {
    const { tools, made } = watchedTools()
    const more = decided({ x: { isApproved: true } })
    await runAgent({}, left('read'), options(scriptedModel([says('Ok.'), ends()]), tools, more)).result()
    expect(made).toEqual([['read', {}]])
  })

  test.each<[string, readonly Message[], Decision | undefined, string]>([
    ['malformed, undecided', left('remove', { malformed: '{' }), undefined, 'no JSON object'],
    ['malformed, approved', left('remove', { malformed: '{' }), { isApproved: true }, 'no JSON object'],
    ['of a tool that is gone, approved', left('gone'), { isApproved: true }, 'There is no tool "gone"'],
  ])('that is %s is answered without a tool', async (_what, messages, decision, text) => {
    const { tools, made } = watchedTools()
    const more = decision === undefined ? {} : decided({ x: decision })
    const result = await runAgent(
      {},
      messages,
      options(scriptedModel([says('Ok.'), ends()]), tools, more),
    ).result()
    expect(made).toEqual([])
    expect(resultTexts(result.messages).x).toContain(text)
  })

  test('that a person wrote arguments for is made in spite of what the model wrote', async () => {
    const { tools, made } = watchedTools()
    const more = decided({ x: { isApproved: true, args: { path: 'a' } } })
    await runAgent(
      {},
      left('remove', { malformed: '{' }),
      options(scriptedModel([says('Ok.'), ends()]), tools, more),
    ).result()
    expect(made).toEqual([['remove', { path: 'a' }]])
  })
})
