import { expect, test } from 'vitest'
import { type AssistantMessage, textOf, toolCallsOf } from './message.ts'

const message: AssistantMessage = {
  role: 'assistant',
  parts: [
    { type: 'reasoning', text: 'hidden' },
    { type: 'text', text: 'one ' },
    { type: 'tool_call', id: 'c1', name: 'add', args: {} },
    { type: 'text', text: 'two' },
    { type: 'tool_call', id: 'c2', name: 'add', args: { a: 1 } },
  ],
}

test('the text of a message is that of its text parts alone, in order', () => {
  expect(textOf(message)).toBe('one two')
  expect(textOf({ role: 'assistant', parts: [] })).toBe('')
})

test('the calls of a message come in the order in which they were made', () => {
  expect(toolCallsOf(message).map(({ id }) => id)).toEqual(['c1', 'c2'])
})
