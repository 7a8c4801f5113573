import { expect, test } from 'vitest'
import { createMessage } from './message.ts'
import { toOutputEvent } from './output-event.ts'

const data = { 'text/plain': 'x' }

const CASES: [string, Record<string, unknown>, unknown][] = [
  [
    'stream',
    { name: 'stderr', text: 'a\rb\b' },
    { type: 'output', output: { output_type: 'stream', name: 'stderr', text: 'a\rb\b' } },
  ],
  [
    'stream',
    { name: 7, text: { no: 'text' } },
    { type: 'output', output: { output_type: 'stream', name: 'stdout', text: '' } },
  ],
  [
    'display_data',
    { data, metadata: { a: 1 }, transient: { display_id: 'd' } },
    { type: 'output', displayId: 'd', output: { output_type: 'display_data', data, metadata: { a: 1 } } },
  ],
  [
    'execute_result',
    { data: { ...data, 'text/html': ['<b>', 'x'], 'application/json': ['a', 'b'] }, execution_count: 4 },
    {
      type: 'output',
      output: {
        output_type: 'execute_result',
        data: { ...data, 'text/html': '<b>x', 'application/json': ['a', 'b'] },
        metadata: {},
        execution_count: 4,
      },
    },
  ],
  [
    'error',
    { ename: 'E', evalue: 'v', traceback: 'no list' },
    { type: 'output', output: { output_type: 'error', ename: 'E', evalue: 'v', traceback: [] } },
  ],
  [
    'update_display_data',
    { data, metadata: {}, transient: { display_id: 'd' } },
    { type: 'update_display', displayId: 'd', data, metadata: {} },
  ],
  ['update_display_data', { data, metadata: {} }, undefined],
  ['update_display_data', { data: [], transient: { display_id: 'd' } }, undefined],
  ['clear_output', { wait: true }, { type: 'clear', wait: true }],
  ['clear_output', {}, { type: 'clear', wait: false }],
  ['comm_open', {}, undefined],
]

test.each(CASES)('%s %j', (type, content, event) => {
  expect(toOutputEvent(createMessage({ channel: 'iopub', type, session: 'k', content }))).toEqual(event)
})

test('what is nested too deeply to be written is left out visibly', () => {
  const content: Record<string, unknown> = JSON.parse(`{"data": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
  const event = toOutputEvent(
    createMessage({ channel: 'iopub', type: 'display_data', session: 'k', content }),
  )
  expect(JSON.stringify(event)).toContain('nested too deeply')
})
