import { describe, expect, test } from 'vitest'
import type { Tool, ToolContext } from '../tool.ts'
import { type RunOptions, runAgent } from './run-agent.ts'
import {
  answer,
  calls,
  ends,
  expectAnswered,
  options,
  resultTexts,
  says,
  scriptedModel,
  toolNamed,
  user,
} from './script.fixture.ts'

/** What the model is told about one call, and what it is asked after. */
async function outcomeOf(
  tools: readonly Tool[],
  name: string,
  args: unknown = {},
): Promise<{ text: string; isError: boolean }> {
  const model = scriptedModel([calls('c1', name, args), ends('tool_calls')], [says('I see.'), ends()])
  const { reason, messages } = await runAgent({}, [user('Go.')], options(model, tools)).result()
  expect(reason).toBe('end')
  expectAnswered(messages)
  const told = model.requests[1]?.messages.at(-1)
  return {
    text: resultTexts(messages).c1 ?? '',
    isError: told?.role === 'tool' && told.result.isError === true,
  }
}

describe('a tool that does not answer', () => {
  test('because it does not exist: the model is told which do, the closest first', async () => {
    const names = [
      'notebook_list',
      'files_read',
      ...Array.from({ length: 30 }, (_, index) => `other_${index}`),
    ]
    const tools = names.map((name) => toolNamed(name, () => answer('ok')))
    const { text, isError } = await outcomeOf(tools, 'read_files')
    expect(isError).toBe(true)
    expect(text).toMatch(/^There is no tool "read_files"\. Call one of those that exist: files_read, /)
    expect(text).toMatch(/, and 12 more\.$/)
  })

  test('because there are none: the model is told to go without', async () => {
    expect((await outcomeOf([], 'x'.repeat(100_000))).text).toBe(
      `There is no tool "${'x'.repeat(64)}…". There are no tools at all: answer without one.`,
    )
  })

  const failures: [string, () => never, string][] = [
    [
      'an error',
      () => {
        throw new Error('disk full')
      },
      '"t" failed: disk full',
    ],
    [
      'a text',
      () => {
        throw 'no luck'
      },
      '"t" failed: no luck',
    ],
    [
      'nothing',
      () => {
        throw undefined
      },
      '"t" failed and gave no reason. Try another way.',
    ],
    [
      'an endless text',
      () => {
        throw new Error('e'.repeat(9_000))
      },
      `"t" failed: ${'e'.repeat(4_000)}…`,
    ],
  ]
  test.each(failures)('because it throws %s: the model is told', async (_what, fail, text) => {
    expect(await outcomeOf([toolNamed('t', fail)], 't')).toEqual({ text, isError: true })
    // Before it gave a promise, too.
    const hasty = { ...toolNamed('t', () => answer('')), execute: fail }
    expect(await outcomeOf([hasty], 't')).toEqual({ text, isError: true })
  })

  test.each([[undefined], [null], ['text'], [{}], [{ content: 'text' }]])(
    'but gives back %j: the model is told',
    async (given) => {
      // What a tool written without types could give back.
      const tool = { ...toolNamed('t', () => answer('')), execute: async () => given } as unknown as Tool
      expect((await outcomeOf([tool], 't')).text).toContain('no result of a tool')
    },
  )

  test('in time: it is told to stop, and abandoned where it does not', async () => {
    const signals: AbortSignal[] = []
    const slow = toolNamed(
      'slow',
      (_args, { signal }) => {
        signals.push(signal)
        return new Promise(() => undefined)
      },
      { timeoutMs: 20 },
    )
    expect((await outcomeOf([slow], 'slow')).text).toMatch(/^"slow" did not answer within 0\.02 seconds/)
    expect(signals[0]?.aborted).toBe(true)
  })

  test('is not taken for late when its time is longer than a timer can be', async () => {
    const patient = toolNamed(
      'patient',
      () => new Promise((resolve) => setTimeout(resolve, 20, answer('ok'))),
      {
        timeoutMs: Number.POSITIVE_INFINITY,
      },
    )
    expect((await outcomeOf([patient], 'patient')).text).toBe('ok')
  })
})

describe('arguments', () => {
  const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
  test.each([
    ['{"a": 1'],
    ['[1]'],
    ['null'],
    ['"text"'],
    ['1'],
    ['undefined'],
    [deep],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('that are no JSON object (%.20s) are not handed to the tool', async (argsText) => {
    let isCalled = false
    const tool = toolNamed('t', () => {
      isCalled = true
      return answer('ok')
    })
    const model = scriptedModel([calls('c1', 't', argsText), ends('tool_calls')], [says('I see.'), ends()])
    const { messages } = await runAgent({}, [user('Go.')], options(model, [tool])).result()
    expect(isCalled).toBe(false)
    expect(resultTexts(messages).c1).toContain('its arguments were no JSON object')
    expect(messages[0]).toEqual({
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c1', name: 't', args: {}, malformed: argsText }],
    })
    expect(() => JSON.stringify(messages)).not.toThrow()
  })

  test.each([
    ['', {}],
    [' \n', {}],
    ['{}', {}],
    ['{"a": [{"b": null}]}', { a: [{ b: null }] }],
  ])('%j are understood', async (argsText, args) => {
    let given: unknown
    const tool = toolNamed('t', (all) => {
      given = all
      return answer('ok')
    })
    expect((await outcomeOf([tool], 't', argsText)).text).toBe('ok')
    expect(given).toEqual(args)
  })
})

describe('the key of a call', () => {
  async function contextOf(more: Partial<RunOptions>): Promise<ToolContext | undefined> {
    let seen: ToolContext | undefined
    const tool = toolNamed('t', (_args, context) => {
      seen = context
      return answer('ok')
    })
    const model = scriptedModel([calls('c1', 't'), ends('tool_calls')], [says('I see.'), ends()])
    await runAgent({}, [user('Go.')], options(model, [tool], more)).result()
    return seen
  }

  test('is made of its id, and handed to its tool', async () => {
    const context = await contextOf({ idempotencyKeyOf: (callId) => `task-7.${callId}` })
    expect(context).toMatchObject({ callId: 'c1', idempotencyKey: 'task-7.c1' })
  })

  test('is none where nobody makes one', async () => {
    expect(await contextOf({})).not.toHaveProperty('idempotencyKey')
  })

  test('is handed over, too, when a person has decided on the call', async () => {
    const keys: (string | undefined)[] = []
    const execute: Tool['execute'] = async (_args, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      return answer('ok')
    }
    const tool = { ...toolNamed('t', () => answer('')), needsApproval: true, execute }
    const asked = scriptedModel([calls('c1', 't'), ends('tool_calls')])
    const idempotencyKeyOf = (callId: string) => `task-7.${callId}`
    const first = await runAgent({}, [user('Go.')], options(asked, [tool], { idempotencyKeyOf })).result()
    expect(first).toMatchObject({ reason: 'approval', pending: [{ id: 'c1' }] })
    const decisions = new Map([['c1', { isApproved: true }]])
    const goesOn = scriptedModel([says('Done.'), ends()])
    const more = options(goesOn, [tool], { idempotencyKeyOf, decisions })
    await runAgent({}, [user('Go.'), ...first.messages], more).result()
    expect(keys).toEqual(['task-7.c1'])
  })
})
