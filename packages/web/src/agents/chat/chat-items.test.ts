import type { ConversationMessage } from '@quire/runtime/contract/conversations'
import { expect, test } from 'vitest'
import type { Frame } from '../types.ts'
import type { ChatItem } from './chat-item.ts'
import { fromMessages } from './from-messages.ts'
import { isBehind } from './place.ts'
import { takeFrame } from './take-frame.ts'

const AT = '2026-11-15T14:00:00.000Z'
const call = { id: 'c', name: 'sample__weather', args: { city: 'Bern' } }
const result = { content: [{ type: 'text', text: 'Sunny' }] }

const MESSAGES: readonly ConversationMessage[] = [
  { id: '1', role: 'user', content: 'Weather?', created_at: AT, status: 'complete' },
  {
    id: '2',
    role: 'assistant',
    content: 'Let me see. ',
    created_at: AT,
    status: 'complete',
    tool_calls: [{ ...call, status: 'complete' }],
    usage: { prompt_tokens: 1, completion_tokens: 2, cost_usd: 0.25 },
  },
  { id: '3', role: 'tool', content: 'Sunny', created_at: AT, status: 'complete', tool_call_id: 'c', result },
  {
    id: '4',
    role: 'assistant',
    content: 'It is sunny.',
    created_at: AT,
    status: 'complete',
    usage: { prompt_tokens: 3, completion_tokens: 4, cost_usd: 0.5 },
  },
]

const FRAMES: readonly Frame[] = [
  { type: 'text', content: 'Let me ' },
  { type: 'text', content: 'see. ' },
  { type: 'tool_call', ...call },
  { type: 'approval_request', ...call },
  { type: 'tool_result', tool_call_id: 'c', result },
  { type: 'text', content: 'It is sunny.' },
  { type: 'usage', prompt_tokens: 4, completion_tokens: 6, cost_usd: 0.75 },
  { type: 'done' },
]

test('a turn looks the same as it comes and as it is stored', () => {
  const question: ChatItem = { kind: 'question', text: 'Weather?', at: AT }
  const live = FRAMES.reduce<readonly ChatItem[]>(takeFrame, [question])
  expect(fromMessages(MESSAGES)).toEqual(live)
  expect(live).toHaveLength(2)
})

test('a call waits from the moment that it is asked for', () => {
  const items = FRAMES.slice(0, 4).reduce<readonly ChatItem[]>(takeFrame, [])
  expect(items).toMatchObject([{ parts: [{ kind: 'text' }, { kind: 'call', status: 'waiting' }] }])
})

test.each([
  ['t.1.5', 't.1.4', true],
  ['t.2.0', 't.1.400', true],
  ['t.1.4', 't.1.4', false],
  ['t.1.3', 't.1.4', false],
  ['u.9.9', 't.1.4', false],
  ['t.1.4', undefined, false],
  ['nonsense', 't.1.4', false],
])('%s behind %s: %s', (id, before, expected) => {
  expect(isBehind(id, before)).toBe(expected)
})
