import { describe, expect, test } from 'vitest'
import { summaryMessage } from '../compaction/summary.ts'
import type { Message } from '../message.ts'
import { ask, converse, NOTEBOOK_TOOLS, textResult } from './fixtures/ask.ts'

describe('a request of several steps', () => {
  const OPEN = ['use_notebook', { notebook_path: 'a.ipynb', notebook_name: 'a', mode: 'connect' }]

  test.each([
    ['joined by "then"', 'open notebook a.ipynb then run x = 1, and then read cell 2.'],
    ['on lines', 'open notebook a.ipynb\nrun x = 1\nread cell 2'],
    ['in a numbered list', '1. Open notebook a.ipynb\n2. Run x = 1\n3) Read cell 2'],
    ['in a list', '- open notebook a.ipynb\n- run x = 1\n- read cell 2'],
    ['with a block', 'Open notebook a.ipynb\n\n```python\nx = 1\n```\n\nThen read cell 2'],
  ])('%s is done one call after the other, and told in order', async (_, said) => {
    const { calls, texts } = await converse(said, (name) => textResult(`result of ${name}`))
    expect(calls).toEqual([
      OPEN,
      ['execute_code', { code: 'x = 1', notebook_name: 'a' }],
      ['read_cell', { cell_index: 2, notebook_name: 'a' }],
    ])
    expect(texts.slice(0, 3)).toEqual([
      'Step 1 of 3: calling `use_notebook`.\n\n',
      'Step 2 of 3: calling `execute_code`.\n\n',
      'Step 3 of 3: calling `read_cell`.\n\n',
    ])
    expect(texts.at(-1)).toMatch(/result of use_notebook.*result of execute_code.*result of read_cell/s)
  })

  test('blocks run one after the other', async () => {
    const { calls } = await converse('First:\n```\na\n```\nand\n```\nb\n```\n```\nc\n```', () =>
      textResult('ok'),
    )
    expect(calls.map(([, args]) => args.code)).toEqual(['a', 'b', 'c'])
  })

  test('code of its own and a block behind it are two requests', async () => {
    const { calls } = await converse('run f(1)\n```\nf(2)\n```', () => textResult('ok'))
    expect(calls.map(([, args]) => args.code)).toEqual(['f(1)', 'f(2)'])
  })

  test('the first failure ends it', async () => {
    const { calls, texts } = await converse('run 1 then run 2 then run 3', (_, { code }) =>
      textResult(`got ${code}`, code === '2'),
    )
    expect(calls).toHaveLength(2)
    expect(texts.at(-1)).toMatch(/got 1.*`execute_code` failed:.*got 2.*1 of 3 steps are not done/s)
  })

  test('no more than eight steps are done', async () => {
    const said = Array.from({ length: 10 }, (_, index) => `run ${index}`).join('\n')
    const { calls, texts } = await converse(said, () => textResult('ok'))
    expect(calls).toHaveLength(8)
    expect(texts.at(-1)).toContain('the last 2 are not done')
  })

  test('what needs no tool is answered in its place', async () => {
    const { texts } = await converse('list files then describe tool read_cell', () => textResult('a.ipynb'))
    expect(texts.at(-1)).toMatch(/a\.ipynb.*`cell_index`/s)
  })

  test('a tool that went away in between is told', async () => {
    const calling = { type: 'tool_call', id: 'one', name: 'list_files', args: {} } as const
    const { text, call } = await ask(
      [
        { role: 'user', text: 'list files then run 1' },
        { role: 'assistant', parts: [calling] },
        { role: 'tool', callId: 'one', name: 'list_files', result: textResult('a.ipynb') },
      ],
      NOTEBOOK_TOOLS.filter(({ name }) => name === 'list_files'),
    )
    expect(call).toBeUndefined()
    expect(text).toMatch(/a\.ipynb.*Step 2: None of my tools does that/s)
  })

  test('nothing is done twice where the conversation was shortened in between', async () => {
    const calling = { type: 'tool_call', id: 'two', name: 'execute_code', args: { code: '2' } } as const
    const { text, call, events } = await ask([
      summaryMessage('- run 1 then run 2 then run 3', 'run 1 then run 2 then run 3'),
      { role: 'assistant', parts: [calling] },
      { role: 'tool', callId: 'two', name: 'execute_code', result: textResult('got 2') },
    ])
    expect(call).toBeUndefined()
    expect(text).toMatch(/got 2.*cannot tell which steps of your request are done/s)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'unable' })
  })

  test('an earlier turn does not count', async () => {
    const calling = { type: 'tool_call', id: 'one', name: 'list_files', args: {} } as const
    const earlier: readonly Message[] = [
      { role: 'user', text: 'list files' },
      { role: 'assistant', parts: [calling] },
      { role: 'tool', callId: 'one', name: 'list_files', result: textResult('a.ipynb') },
      { role: 'assistant', parts: [{ type: 'text', text: 'There is one.' }] },
    ]
    const { call } = await ask([...earlier, { role: 'user', text: 'list files' }])
    expect(call?.name).toBe('list_files')
    expect(call?.id).not.toBe('one')
  })
})

describe('what a tool answered is told for a person', () => {
  test('long text is cut with a marker', async () => {
    const { texts } = await converse('list files', () => textResult('y'.repeat(5000)))
    expect(texts.at(-1)).toContain(`${'y'.repeat(4000)}\n[cut here: 1000 characters more]`)
  })

  test('images, sounds and resources are named', async () => {
    const { texts } = await converse('run plot()', () => ({
      content: [
        { type: 'text', text: 'done' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a' },
        { type: 'resource', resource: { uri: 'ui://chart', text: '<p>' } },
      ],
    }))
    expect(texts.at(-1)).toContain(
      'an image (image/png), a sound (audio/wav), a resource (file:///a), a resource (ui://chart)',
    )
    expect(texts.at(-1)).not.toContain('AAAA')
  })

  test('structured content stands in for text, and nothing is called nothing', async () => {
    const { texts } = await converse('list files', () => ({ content: [], structuredContent: { count: 3 } }))
    expect(texts.at(-1)).toContain('"count": 3')
    expect((await converse('list files', () => ({ content: [] }))).texts.at(-1)).toContain('it said nothing')
  })

  test('without a notebook it says how to open one', async () => {
    const refusal = textResult('No notebook is in use yet. Open one with use_notebook first.', true)
    const { calls, texts } = await converse('read cell 3', () => refusal)
    expect(calls).toHaveLength(1)
    expect(texts.at(-1)).toMatch(
      /`read_cell` failed:.*No notebook is in use yet.*say "open notebook .*"list files"/s,
    )
  })

  test('any other failure leads to what the tool takes', async () => {
    const { texts } = await converse('run 1', () => textResult('NameError', true))
    expect(texts.at(-1)).toMatch(/NameError.*"describe tool execute_code"/s)
    expect(texts.at(-1)).not.toContain('open notebook')
  })
})
