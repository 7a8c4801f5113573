import { expect, test } from 'vitest'
import type { AssistantPart } from '../message.ts'
import type { ModelEvent } from '../model/model.ts'
import { createReply } from './reply.ts'
import { calls, ends, says, thinks } from './script.fixture.ts'

const mark = { provider: { signature: 's' } }
const other = { provider: { signature: 't' } }

function ended(part: 'text' | 'reasoning', metadata?: typeof mark): ModelEvent {
  return metadata === undefined ? { type: 'part_end', part } : { type: 'part_end', part, metadata }
}

test.each<[string, readonly ModelEvent[], readonly AssistantPart[]]>([
  [
    'fragments of one kind join',
    [says('a'), says('b'), thinks('c'), says('d')],
    [
      { type: 'text', text: 'ab' },
      { type: 'reasoning', text: 'c' },
      { type: 'text', text: 'd' },
    ],
  ],
  [
    'an end parts two of one kind, each with its own mark',
    [thinks('a'), ended('reasoning', mark), thinks('b'), ended('reasoning', other), says('c'), ended('text')],
    [
      { type: 'reasoning', text: 'a', metadata: mark },
      { type: 'reasoning', text: 'b', metadata: other },
      { type: 'text', text: 'c' },
    ],
  ],
  [
    'an end that comes late belongs to its own part',
    [thinks('a'), says('b'), ended('reasoning', mark), says('c')],
    [
      { type: 'reasoning', text: 'a', metadata: mark },
      { type: 'text', text: 'bc' },
    ],
  ],
  [
    'a mark without a text is kept',
    [ended('reasoning', mark)],
    [{ type: 'reasoning', text: '', metadata: mark }],
  ],
  ['an end of nothing is nothing', [ended('text'), ended('reasoning')], []],
  [
    'a call parts texts and keeps its mark',
    [says('a'), { ...calls('c1', 't', { x: 1 }), metadata: mark } as ModelEvent, says('b')],
    [
      { type: 'text', text: 'a' },
      { type: 'tool_call', id: 'c1', name: 't', args: { x: 1 }, metadata: mark },
      { type: 'text', text: 'b' },
    ],
  ],
  ['nothing is heard after the end', [says('a'), ends(), says('b')], [{ type: 'text', text: 'a' }]],
])('%s', (_what, events, parts) => {
  const reply = createReply((id) => id)
  for (const event of events) reply.take(event)
  expect(reply.parts()).toStrictEqual(parts)
})

test('the calls of one answer are bounded, whatever provider they come from', () => {
  const reply = createReply((id) => id)
  for (let count = 0; count < 256; count += 1) reply.take(calls('c', 't', ''))
  expect(reply.parts()).toHaveLength(256)
  expect(() => reply.take(calls('c', 't', ''))).toThrow(
    expect.objectContaining({ fault: 'garbled', message: expect.stringContaining('more than 256 tools') }),
  )
})
