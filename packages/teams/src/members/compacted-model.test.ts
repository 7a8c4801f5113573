import { AgentError } from '@quire/agent/agent-error'
import { type Message, toolCallsOf } from '@quire/agent/message'
import type { ModelRequest } from '@quire/agent/model'
import { describe, expect, test } from 'vitest'
import { openMembers, toolNamed } from './members.fixture.ts'
import { BudgetSpent } from './members.ts'
import type { ScriptedAnswer, ScriptedModelsOptions } from './scripted-model.fixture.ts'
import { createGate, runToEnd, TASK, WRITER, workOf } from './work.fixture.ts'

const WINDOW = 4_000
const SUMMARY = 'They looked many times.'
const LOOKS = 40
const SEEN = 'seen '.repeat(300)
const member = { ...WRITER, maxSteps: LOOKS + 1 }
const look = toolNamed('look', async () => ({ content: [{ type: 'text', text: SEEN }] }))

/** A provider that refuses what is longer than its window. */
function open(options: ScriptedModelsOptions = { contextWindow: WINDOW }, looks = LOOKS) {
  let looked = 0
  return openMembers(
    (request): ScriptedAnswer => {
      if (sizeOf(request) > WINDOW) return new AgentError('too_long', 'More than the window.')
      if (isForSummary(request)) return { text: SUMMARY, usage: { promptTokens: 1_000, completionTokens: 7 } }
      const usage = { promptTokens: sizeOf(request), completionTokens: 5 }
      if (looked === looks) return { text: 'Done.', usage }
      looked += 1
      return { calls: [{ id: `c${looked}`, name: 'look' }], usage }
    },
    [look],
    options,
  )
}

function sizeOf({ system = '', messages }: ModelRequest): number {
  return Math.ceil((system + JSON.stringify(messages)).length / 4)
}

function isForSummary({ tools }: ModelRequest): boolean {
  return tools.length === 0
}

function stored(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index): readonly Message[] => [
    { role: 'assistant', parts: [{ type: 'tool_call', id: `s${index}`, name: 'look', args: {} }] },
    { role: 'tool', callId: `s${index}`, name: 'look', result: { content: [{ type: 'text', text: SEEN }] } },
  ]).flat()
}

/** Each call has its result right behind it, and no result is without its call. */
function expectWhole(messages: readonly Message[]): void {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? toolCallsOf(message).map(({ id }) => id) : [],
  )
  expect(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))).toEqual(calls)
}

describe('a task that outgrows the window of its model', () => {
  test('goes on in one run, and its steps are kept whole', async () => {
    const { members, models } = open()
    const { steps, error } = await runToEnd(members, workOf({ member }))
    expect(error).toBeUndefined()
    expect(steps.at(-1)?.result).toBe('Done.')
    expect(steps).toHaveLength(2 * LOOKS + 1)
    const seen = steps.flatMap(({ message }) => (message.role === 'tool' ? [message.result.content] : []))
    expect(seen).toEqual(seen.map(() => [{ type: 'text', text: SEEN }]))

    const requests = models.requests.map(({ request }) => request)
    const asked = requests.filter((request) => !isForSummary(request))
    const summaries = requests.length - asked.length
    expect(asked).toHaveLength(LOOKS + 1)
    expect(summaries).toBeGreaterThan(0)
    // One summary serves for several steps.
    expect(summaries).toBeLessThan(LOOKS / 2)
    expect(Math.max(...requests.map(sizeOf))).toBeLessThanOrEqual(WINDOW)
    for (const { messages } of asked) {
      expect(messages[0]).toEqual(asked[0]?.messages[0])
      expectWhole(messages)
    }
    const last = asked.at(-1)?.messages ?? []
    expect(last[1]).toMatchObject({
      role: 'user',
      text: expect.stringMatching(/summary of it.*many times\.$/s),
    })
    expect(JSON.stringify(last).split(SUMMARY)).toHaveLength(2)

    const spent = steps.reduce((sum, step) => sum + step.spent.promptTokens, 0)
    expect(spent).toBe(asked.reduce((sum, request) => sum + sizeOf(request), 0) + summaries * 1_000)
  })

  test('goes on after a crash', async () => {
    const { members, models } = open({ contextWindow: WINDOW }, 1)
    const { steps, error } = await runToEnd(members, workOf({ member, steps: stored(30) }))
    expect(error).toBeUndefined()
    expect(steps.map(({ result }) => result)).toEqual([undefined, undefined, 'Done.'])
    expect(models.requests.map(({ request }) => isForSummary(request))).toEqual([true, false, false])
  })

  test('goes on after its result was returned, and the member still has the task', async () => {
    const returned: Message = { role: 'user', text: 'Your result was returned. Mend it.' }
    const said: Message = { role: 'assistant', parts: [{ type: 'text', text: 'All done.' }] }
    const { members, models } = open({ contextWindow: WINDOW }, 20)
    const work = workOf({ member, steps: [...stored(30), said, returned] })
    expect((await runToEnd(members, work)).steps.at(-1)?.result).toBe('Done.')
    const text = JSON.stringify(models.requests.at(-1)?.request.messages)
    expect(text).toContain(TASK.description)
    expect(text.split(returned.text)).toHaveLength(2)
  })

  test('is shortened when the provider says so, where nobody knows the window', async () => {
    const { members, models } = open({}, 1)
    const { steps, error } = await runToEnd(members, workOf({ member, steps: stored(12) }))
    expect(error).toBeUndefined()
    expect(steps.at(-1)?.result).toBe('Done.')
    expect(models.requests.map(({ request }) => sizeOf(request) > WINDOW)).toContain(true)
  })

  test('fails where the task alone is too long', async () => {
    const { members, models } = open()
    const task = { ...TASK, description: 'bees '.repeat(WINDOW) }
    const { steps, error } = await runToEnd(members, workOf({ member, task }))
    expect(error).toMatchObject({ fault: 'too_long' })
    expect(steps).toEqual([])
    expect(models.requests).toHaveLength(1)
  })

  test('has its summary within the budget', async () => {
    const spent = new BudgetSpent('All is spent.')
    const { members, models } = open()
    const poor = workOf({ member, steps: stored(30), gate: createGate(0, spent) })
    expect((await runToEnd(members, poor)).error).toBe(spent)
    expect(models.requests).toEqual([])
    const gate = createGate()
    await runToEnd(members, workOf({ member, steps: stored(30), gate }))
    expect(gate.checks()).toBe(models.requests.length)
  })

  test('is let go of while its summary is written', async () => {
    const control = new AbortController()
    const reason = new DOMException('Time is over.', 'TimeoutError')
    const { members, models } = openMembers(
      () => {
        control.abort(reason)
        return { ending: 'deaf' }
      },
      [look],
      { contextWindow: WINDOW },
    )
    const work = workOf({ member, steps: stored(30), signal: control.signal })
    expect((await runToEnd(members, work)).error).toBe(reason)
    expect(models.requests).toHaveLength(1)
  })
})
