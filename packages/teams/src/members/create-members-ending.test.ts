import { AgentError } from '@quire/agent/agent-error'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test, vi } from 'vitest'
import { answered, CALLS, openMembers, toolNamed } from './members.fixture.ts'
import { BudgetSpent } from './members.ts'
import { HANGS, type ScriptedAnswers, TEN_MEBIBYTES } from './scripted-model.fixture.ts'
import { createGate, runToEnd, WRITER, workOf } from './work.fixture.ts'

describe('the budget', () => {
  test('is asked for before each request, and none is made beyond it', async () => {
    verifies('TM-BUDGET-2')
    const spent = new BudgetSpent('All 10 tokens are spent.')
    const gate = createGate(1, spent)
    const { models, members } = openMembers([CALLS, 'Never said.'], [toolNamed('look', answered)])
    const { steps, error } = await runToEnd(members, workOf({ gate }))
    expect(error).toBe(spent)
    expect(models.requests).toHaveLength(1)
    expect(steps.map(({ message }) => message.role)).toEqual(['assistant', 'tool'])
  })

  test('a gate that fails for another reason fails as it does', async () => {
    const away = new Error('The database is away.')
    const { members } = openMembers('x')
    expect((await runToEnd(members, workOf({ gate: createGate(0, away) }))).error).toBe(away)
  })
})

describe('what is no result', () => {
  test.each<[string, ScriptedAnswers, string, number]>([
    ['nothing', { text: ' \n' }, 'garbled', 1],
    ['no message at all', {}, 'garbled', 0],
    ['an answer cut at its limit', { text: 'Half', finish: 'length' }, 'too_long', 1],
    ['an answer that was kept back', { text: 'Half', finish: 'filtered' }, 'refused', 1],
    ['an answer that nothing came of', { text: 'I cannot.', finish: 'unable' }, 'refused', 1],
    ['more than 1 MiB', { text: 'é'.repeat(600_000) }, 'too_long', 1],
    ['10 MiB', TEN_MEBIBYTES, 'garbled', 0],
    [
      'an answer that breaks off',
      { text: 'Half', ending: new AgentError('unavailable', 'Gone.') },
      'unavailable',
      1,
    ],
    ['a refusal', new AgentError('rate_limited', 'Slow down.', { retryAfterMs: 7 }), 'rate_limited', 0],
    ['a failure of ours', new TypeError('x is not a function'), 'internal', 0],
  ])('%s', async (_, answer, fault, count) => {
    const { members } = openMembers(answer)
    const { steps, error } = await runToEnd(members, workOf())
    expect(error).toBeInstanceOf(AgentError)
    expect(error).toMatchObject({ fault, message: expect.stringMatching(/\w.+\.$/) })
    expect(steps).toHaveLength(count)
    expect(steps.some(({ result }) => result !== undefined)).toBe(false)
    expect(JSON.stringify(steps).length).toBeLessThan(100_000)
  })

  test('what it cost is counted all the same', async () => {
    const { members } = openMembers({ text: 'Half', finish: 'length' })
    expect((await runToEnd(members, workOf())).steps).toMatchObject([{ spent: { completionTokens: 5 } }])
  })

  test('a model that is not there, or has no key', async () => {
    const { members } = openMembers('x')
    const { error } = await runToEnd(members, workOf({ member: { ...WRITER, model: 'test:other' } }))
    expect(error).toMatchObject({ fault: 'unknown_model' })
  })

  test('a member without a model, or elsewhere where nothing is allowed', async () => {
    const { model: _, ...bare } = WRITER
    const { members } = openMembers('x')
    for (const member of [bare, { ...bare, agentUrl: 'http://127.0.0.1:1/api/v1/agents/a' }])
      expect((await runToEnd(members, workOf({ member }))).error).toMatchObject({ fault: 'unconfigured' })
  })
})

test('a result can be stored: it holds no NUL and no half of a character', async () => {
  const { members } = openMembers('a\0b\ud800')
  expect((await runToEnd(members, workOf())).steps.at(-1)?.result).toBe('ab\ufffd')
})

describe('an abort', () => {
  const reason = new DOMException('Time is over.', 'TimeoutError')

  test.each<[string, ScriptedAnswers]>([
    ['a model that hangs', HANGS],
    ['a model that is deaf', { ending: 'deaf' }],
    ['a model without an end', { ending: 'endless' }],
  ])('reaches %s', async (_, answer) => {
    const control = new AbortController()
    const { models, members } = openMembers(answer)
    const running = runToEnd(members, workOf({ signal: control.signal }))
    await vi.waitUntil(() => models.requests.length === 1, 30_000)
    control.abort(reason)
    const { error, steps } = await running
    expect(error).toBe(reason)
    expect(steps).toEqual([])
    expect(models.requests[0]?.request.signal.aborted).toBe(true)
  })

  test('reaches a tool, and one that is deaf is left', async () => {
    const control = new AbortController()
    const heard = Promise.withResolvers<void>()
    const deaf = toolNamed('look', (_args, { signal }) => {
      signal.addEventListener('abort', () => heard.resolve())
      control.abort(reason)
      return new Promise(() => undefined)
    })
    const { models, members } = openMembers([CALLS, 'Never said.'], [deaf])
    const { error, steps } = await runToEnd(members, workOf({ signal: control.signal }))
    await heard.promise
    expect(error).toBe(reason)
    expect(steps).toHaveLength(1)
    expect(models.requests).toHaveLength(1)
  })

  test('comes before anything is done', async () => {
    const { models, members } = openMembers('x')
    const { error } = await runToEnd(members, workOf({ signal: AbortSignal.abort(reason) }))
    expect(error).toBe(reason)
    expect(models.requests).toEqual([])
  })

  test('reaches a gate that waits', async () => {
    const control = new AbortController()
    const { models, members } = openMembers('x')
    const gate = {
      check() {
        control.abort(reason)
        return new Promise<void>(() => undefined)
      },
    }
    expect((await runToEnd(members, workOf({ gate, signal: control.signal }))).error).toBe(reason)
    expect(models.requests).toEqual([])
  })
})
