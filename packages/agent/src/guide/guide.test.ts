import { describe, expect, test } from 'vitest'
import { summarize, summaryMessage } from '../compaction/summary.ts'
import type { JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { runAgent } from '../run/run-agent.ts'
import { ask, textResult, toolOf } from './fixtures/ask.ts'
import { createGuide } from './guide.ts'

describe('the guide is a model like any other', () => {
  test('that costs nothing and has no window', () => {
    const guide = createGuide()
    expect(guide.id).toBe('builtin:guide')
    expect(guide.contextWindow).toBeUndefined()
    expect(guide.cost({ promptTokens: 1000, completionTokens: 1000 })).toBe(0)
  })

  test('text comes in fragments, and the usage last', async () => {
    const { events, text } = await ask('help', undefined, { system: 'x'.repeat(4000) })
    const fragments = events.filter(({ type }) => type === 'text')
    expect(fragments.length).toBeGreaterThan(5)
    const last = events.at(-1)
    expect(last).toMatchObject({ type: 'finish', usage: { completionTokens: Math.ceil(text.length / 4) } })
    expect(last?.type === 'finish' && last.usage.promptTokens).toBeGreaterThan(1000)
  })

  test('usage is at least one', async () => {
    const { events } = await ask([], [])
    expect(events.at(-1)).toMatchObject({ usage: { promptTokens: 1 } })
  })

  test('an answer is cut at the limit of its tokens', async () => {
    const { events, text } = await ask('help', undefined, { maxOutputTokens: 10 })
    expect(text).toHaveLength(40)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length', usage: { completionTokens: 10 } })
  })

  test('equal requests get equal answers, and calls with ids of their own', async () => {
    const [one, other] = [await ask('run 1'), await ask('run 1')]
    expect(other.text).toBe(one.text)
    expect(other.call?.args).toEqual(one.call?.args)
    expect(other.call?.id).not.toBe(one.call?.id)
  })

  test('ids may be given', async () => {
    const messages = [{ role: 'user', text: 'list files' }] as const
    const tools = [{ name: 'list_files', description: '', inputSchema: {} }]
    const { signal } = new AbortController()
    const events: unknown[] = []
    for await (const event of createGuide({ createId: () => '7' }).stream({ messages, tools, signal })) {
      events.push(event)
    }
    expect(events).toContainEqual({ type: 'tool_call', id: 'call_7', name: 'list_files', argsText: '{}' })
  })

  test('nothing comes after an abort', async () => {
    await expect(ask('help', undefined, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i)
    const controller = new AbortController()
    const events: unknown[] = []
    const reading = async () => {
      const request = {
        messages: [{ role: 'user', text: 'help' }] as const,
        tools: [],
        signal: controller.signal,
      }
      for await (const event of createGuide().stream(request)) {
        events.push(event)
        if (events.length === 2) controller.abort()
      }
    }
    await expect(reading()).rejects.toThrow(/abort/i)
    expect(events).toHaveLength(2)
  })
})

test('it drives the tools of a run', async () => {
  const ran: unknown[] = []
  const executeCode = {
    ...toolOf('execute_code', { code: { type: 'string' } }, ['code']),
    async execute(args: JsonObject) {
      ran.push(args)
      return textResult(`ran ${args.code}`)
    },
  }
  const messages: readonly Message[] = [{ role: 'user', text: 'run 1+1 then run 2+2' }]
  const { signal } = new AbortController()
  const run = runAgent({ systemPrompt: 'Be kind.' }, messages, {
    model: createGuide(),
    tools: [executeCode],
    signal,
  })
  const result = await run.result()
  expect(ran).toEqual([{ code: '1+1' }, { code: '2+2' }])
  expect(result.reason).toBe('end')
  expect(result.text).toMatch(/ran 1\+1.*ran 2\+2/s)
  expect(result.messages.map(({ role }) => role)).toEqual([
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ])
})

describe('a summary', () => {
  const CONVERSATION: readonly Message[] = [
    { role: 'user', text: 'Open notebook a.ipynb. It has the sales.' },
    { role: 'assistant', parts: [{ type: 'text', text: 'Done. Really.' }] },
    { role: 'user', text: 'run total()\nprint(3.5)' },
    { role: 'tool', callId: 'x', name: 'execute_code', result: textResult('42') },
    { role: 'user', text: `${'long '.repeat(100)}end. more` },
  ]
  const ASKED: Message = {
    role: 'user',
    text: 'Summarise the conversation so far for whoever goes on with it.',
  }

  test('is the first sentence of each message of the user', async () => {
    const { text } = await ask([...CONVERSATION, ASKED], [])
    const [, ...lines] = text.split('\n')
    expect(lines).toEqual([
      '- Open notebook a.ipynb.',
      '- run total()',
      expect.stringMatching(/^- (?:long ){39}long ?…$/),
    ])
  })

  test('is bounded', async () => {
    const many = Array.from({ length: 500 }, (): Message => ({ role: 'user', text: 'x'.repeat(10_000) }))
    const { text } = await ask([...many, ASKED], [])
    expect(text.length).toBeLessThan(10_000)
    expect(text).toContain('470 earlier requests are left out')
  })

  test('is what compaction gets, also a second time', async () => {
    const signal = new AbortController().signal
    const request = {
      model: createGuide(),
      maxCharacters: 100_000,
      maxTokens: 2000,
      deadlineMs: 5000,
      signal,
    }
    const first = await summarize({ ...request, messages: CONVERSATION.slice(0, 4) })
    expect(first?.text).toMatch(/:\n- Open notebook a\.ipynb\.\n- run total\(\)$/)
    const later: Message = { role: 'user', text: 'list files' }
    const second = await summarize({ ...request, messages: [summaryMessage(first?.text, undefined), later] })
    expect(second?.text).toMatch(/:\n- Open notebook a\.ipynb\.\n- run total\(\)\n- list files$/)
  })

  test('of nothing says so', async () => {
    expect((await ask([ASKED], [])).text).toContain('Nothing has been asked yet')
  })

  test('is not given where there are tools', async () => {
    expect((await ask([...CONVERSATION, ASKED])).text).toContain('I do not understand "Summarise')
  })
})
