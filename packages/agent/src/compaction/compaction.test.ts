import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { AgentError } from '../agent-error.ts'
import type { Message } from '../message.ts'
import { answer, ends, expectAnswered, type Line, says, user } from '../run/script.fixture.ts'
import { createCompaction } from './compaction.ts'
import { summaryMessage } from './summary.ts'
import { modelOf, requestOf, summarized, tokens, turn, WINDOW } from './turns.fixture.ts'

const { compact } = createCompaction()

describe('long answers of tools', () => {
  test('of older turns are cut to head and tail first, and no model is asked', async () => {
    const model = modelOf()
    const recent = turn('c', 3_000)
    const messages = [...turn('a', 6_000), ...turn('b', 100), ...recent]
    const compacted = await compact(requestOf(model, messages))
    expect(compacted).toMatchObject({ replaced: 0 })
    expect(compacted?.summary).toBeUndefined()
    expect(model.requests).toHaveLength(0)
    const text = resultText(compacted?.messages[2])
    expect(text).toMatch(/^Begin a\..*\[… \d+ characters left out to save room …\].*End a\.$/s)
    expect(text.length).toBeLessThan(2_100)
    expect(compacted?.messages.slice(3)).toEqual(messages.slice(3))
    expect(messages).toHaveLength(12)
    expect(resultText(messages[2]).length).toBeGreaterThan(24_000)
  })

  test('lose their pictures and their structure, not that they are errors', async () => {
    const [question, call, , said] = turn('a', 0)
    const result = {
      content: [
        { type: 'text', text: tokens(8_000) },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { all: tokens(8_000) },
      isError: true,
    } as const
    const messages = [
      question,
      call,
      { role: 'tool', callId: 'a', name: 'read', result },
      said,
      ...turn('b', 10),
    ] as readonly Message[]
    const compacted = await compact(requestOf(modelOf(), messages))
    const shortened = compacted?.messages[2]
    expect(shortened).toMatchObject({ role: 'tool', callId: 'a', result: { isError: true } })
    expect(JSON.stringify(shortened).length).toBeLessThan(2_500)
    expect(resultText(shortened)).toContain('[image left out to save room]')
  })

  test('of the last turn are cut where they do not fit alone', async () => {
    const model = modelOf()
    const messages = turn('a', 30_000).slice(0, 3)
    const compacted = await compact(requestOf(model, messages))
    expect(compacted?.replaced).toBe(0)
    expect(compacted?.messages.slice(0, 2)).toEqual(messages.slice(0, 2))
    expect(resultText(compacted?.messages[2]).length).toBeLessThan(28_000)
    expect(model.requests).toHaveLength(0)
  })
})

describe('the oldest turns', () => {
  const many = Array.from({ length: 12 }, (_, index) => turn(`t${index}`, 300, 300)).flat()

  test('give way to a summary that the model writes, without tools', async () => {
    const model = modelOf(summarized)
    const compacted = await compact(requestOf(model, many, { system: 'Be brief.' }))
    expect(compacted?.summary).toMatch(/A summary of it:\]\n\nThey talked a lot\.$/)
    expect(compacted?.messages[0]).toEqual({ role: 'user', text: compacted?.summary })
    expect(compacted?.usage).toEqual({ promptTokens: 900, completionTokens: 30 })
    expect(compacted?.messages.slice(1)).toEqual(many.slice(compacted?.replaced))
    expect(compacted?.replaced).toBeGreaterThan(20)
    expectAnswered(compacted?.messages ?? [])

    const [asked] = model.requests
    expect(asked?.tools).toEqual([])
    expect(asked?.messages).toHaveLength(1)
    expect(JSON.stringify(asked?.messages)).toContain('Question t0')
    expect(JSON.stringify(asked?.messages)).not.toContain('Question t11')
    expect(await compact(requestOf(model, compacted?.messages ?? []))).toBeUndefined()
  })

  test.each<[string, readonly Line[]]>([
    ['fails', [new AgentError('rate_limited', 'Too many requests.')]],
    ['breaks off', [says('They')]],
    ['says nothing', [ends()]],
    ['never ends', [says('They'), 'deafness']],
  ])('are dropped, with a word of it, where the model %s', async (_how, script) => {
    const compacted = await createCompaction({ summaryMs: 20 }).compact(requestOf(modelOf(script), many))
    expect(compacted?.messages[0]).toMatchObject({
      role: 'user',
      text: expect.stringContaining('There is no summary'),
    })
    expect(compacted?.messages.slice(1)).toEqual(many.slice(compacted?.replaced))
    expect(compacted?.summary).toBeUndefined()
  })

  test('give way to so much of an endless summary, and the model is stopped', async () => {
    const model = modelOf([...Array.from({ length: 100 }, () => says(tokens(1_000))), 'deafness'])
    const compacted = await compact(requestOf(model, many))
    expect(compacted?.summary?.length).toBeLessThan(4_400)
    expect(compacted?.summary?.length).toBeGreaterThan(4_000)
    expect(model.requests[0]?.signal.aborted).toBe(true)
  })

  test('leave no timer and no listener', async () => {
    const control = new AbortController()
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    await compact(requestOf(modelOf(summarized), many, { signal: control.signal }))
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(0)
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before)
  })

  test('stay where the caller aborts meanwhile', async () => {
    const control = new AbortController()
    const model = modelOf(['deafness'])
    const compacting = compact(requestOf(model, many, { signal: control.signal }))
    await expect.poll(() => model.requests.length).toBe(1)
    const why = new Error('The user left.')
    control.abort(why)
    await expect(compacting).rejects.toBe(why)
    expect(model.requests[0]?.signal.aborted).toBe(true)
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(0)
  })

  test('give way to more where the target is smaller', async () => {
    const usual = await compact(requestOf(modelOf(summarized), many))
    const harder = await compact(requestOf(modelOf(summarized), many, { target: 0.4 }))
    expect(harder?.replaced).toBeGreaterThan(usual?.replaced ?? 0)
  })

  test('are shown to the model only so far as its window allows', async () => {
    const model = modelOf(summarized)
    const huge = Array.from({ length: 40 }, (_, index) => turn(`t${index}`, 300, 600)).flat()
    await compact(requestOf(model, huge))
    const [message] = model.requests[0]?.messages ?? []
    expect(message?.role === 'user' && message.text.length).toBeLessThan(WINDOW * 4 * 0.6)
  })
})

describe('the last request of the user', () => {
  const request = `Do it all: ${tokens(500)}`
  const steps = (count: number, first = 0): readonly Message[] =>
    Array.from({ length: count }, (_, index) => {
      const [, call, result] = turn(`s${first + index}`, 400)
      return [call, result].filter((message) => message !== undefined)
    }).flat()

  test('stands whole beside the summary where its own steps have filled the window', async () => {
    const messages = [...turn('old', 100), user(request), ...steps(25)]
    const compacted = await compact(requestOf(modelOf(summarized), messages))
    const first = compacted?.messages[0]
    expect(first?.role === 'user' && first.text.endsWith(`word for word:]\n\n${request}`)).toBe(true)
    expect(compacted?.messages.slice(1)).toEqual(messages.slice(compacted?.replaced))
    expectAnswered(compacted?.messages ?? [])

    const next = [...(compacted?.messages ?? []), ...steps(15, 25)]
    const again = await compact(requestOf(modelOf(summarized), next))
    expect(again?.replaced).toBeGreaterThan(1)
    expect(again?.summary?.split(request)).toHaveLength(2)
    expect(again?.summary?.length).toBe(compacted?.summary?.length)
    expectAnswered(again?.messages ?? [])
  })

  test('is not made up from a summary that holds none', async () => {
    const messages = [summaryMessage('They talked.', undefined), ...steps(25)]
    const compacted = await compact(requestOf(modelOf(summarized), messages))
    expect(compacted?.replaced).toBeGreaterThan(1)
    expect(compacted?.summary).toMatch(/A summary of it:\]\n\nThey talked a lot\.$/)
  })

  test('is left alone where nothing else could give way', async () => {
    const model = modelOf()
    expect((await compact(requestOf(model, [user(tokens(20_000))])))?.replaced).toBeUndefined()
    expect((await compact(requestOf(model, [user(tokens(20_000)), ...steps(1)])))?.replaced).toBeUndefined()
    expect(model.requests).toHaveLength(0)
  })

  test('is whole after a long history, however long it is', async () => {
    const last = user(tokens(6_000))
    const compacted = await compact(requestOf(modelOf(summarized), [...turn('a', 3_000, 900), last]))
    expect(compacted?.messages).toHaveLength(2)
    expect(compacted?.messages[1]).toBe(last)
  })
})

test('calls that wait for a person are kept with their message', async () => {
  const waiting: Message = {
    role: 'assistant',
    parts: [
      { type: 'tool_call', id: 'w1', name: 'remove', args: {} },
      { type: 'tool_call', id: 'w2', name: 'read', args: {} },
    ],
  }
  const answered: Message = { role: 'tool', callId: 'w2', name: 'read', result: answer('ok') }
  const messages = [
    ...Array.from({ length: 9 }, (_, index) => turn(`t${index}`, 300, 400)).flat(),
    user('Now.'),
    waiting,
    answered,
  ]
  const compacted = await compact(requestOf(modelOf(summarized), messages))
  expect(compacted?.messages.slice(-3)).toEqual([user('Now.'), waiting, answered])
  expectAnswered(compacted?.messages ?? [], ['w1'])
})

function resultText(message: Message | undefined): string {
  const block = message?.role === 'tool' ? message.result.content[0] : undefined
  return block?.type === 'text' ? block.text : ''
}
