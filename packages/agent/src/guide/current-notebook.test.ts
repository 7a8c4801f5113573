import { expect, test } from 'vitest'
import type { Message } from '../message.ts'
import { withCurrentNotebook } from './current-notebook.ts'
import { NOTEBOOK_TOOLS, textResult } from './fixtures/ask.ts'

function called(id: string, args: Record<string, string>, isError = false): readonly Message[] {
  return [
    { role: 'assistant', parts: [{ type: 'tool_call', id, name: 'use_notebook', args }] },
    { role: 'tool', callId: id, name: 'use_notebook', result: textResult('…', isError) },
  ]
}

const A = called('1', { notebook_name: 'a' })
const B = called('2', { notebook_name: 'b' })
const FAILED = called('3', { notebook_name: 'c' }, true)

test.each([
  ['nothing was opened', [], {}, {}],
  ['the last one counts', [...A, ...B], {}, { notebook_name: 'b' }],
  ['one that failed does not', [...A, ...FAILED], {}, { notebook_name: 'a' }],
  ['a name that is given counts', A, { notebook_name: 'z' }, { notebook_name: 'z' }],
  ['calls without a name say nothing', [...A, ...called('4', {})], {}, { notebook_name: 'a' }],
])('%s', (_, messages, args, expected) => {
  expect(withCurrentNotebook({ name: 'execute_code', args }, messages, NOTEBOOK_TOOLS)).toEqual(expected)
})

test('a tool that takes no name is given none', () => {
  expect(withCurrentNotebook({ name: 'list_files', args: {} }, A, NOTEBOOK_TOOLS)).toEqual({})
  expect(withCurrentNotebook({ name: 'unknown', args: {} }, A, NOTEBOOK_TOOLS)).toEqual({})
})
