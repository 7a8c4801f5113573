import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createExecution } from './execution.ts'
import type { ExecutionEvent } from './execution-event.ts'
import { closedHere, died, restarted } from './loss.ts'
import { type Channel, createMessage } from './message.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const busy = say('iopub', 'status', { execution_state: 'busy' })
const input = say('iopub', 'execute_input', { execution_count: 3 })
const idle = say('iopub', 'status', { execution_state: 'idle' })
const ok = say('shell', 'execute_reply', { status: 'ok', execution_count: 3 })
const failed = say('shell', 'execute_reply', {
  status: 'error',
  execution_count: 3,
  ename: 'E',
  evalue: 'v',
  traceback: ['t'],
})
const error = say('iopub', 'error', { ename: 'E', evalue: 'v', traceback: ['t'] })
const started: ExecutionEvent = { type: 'started', executionCount: 3 }
const done: ExecutionEvent = { type: 'done', status: 'ok', executionCount: 3 }
const errorOutput = {
  type: 'output',
  output: { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t'] },
}

test.each([
  ['the reply first', [busy, input, ok, idle]],
  ['idle first', [busy, input, idle, ok]],
])('ends when both the reply and idle came, %s', (_name, messages) => {
  const { execution, events } = begin()
  for (const message of messages.slice(0, -1)) execution.handle(message)
  expect(events).toEqual([started])
  for (const message of messages.slice(-1)) execution.handle(message)
  expect(events).toEqual([started, done])
})

test('an error of which only the reply tells is an output all the same', () => {
  const { execution, events } = begin()
  for (const message of [busy, input, failed, idle]) execution.handle(message)
  expect(events).toEqual([started, errorOutput, { type: 'done', status: 'error', executionCount: 3 }])
})

test('a reply that is neither ok nor an error says that nothing ran', () => {
  const { execution, events } = begin()
  for (const message of [busy, say('shell', 'execute_reply', { status: 'aborted' }), idle])
    execution.handle(message)
  expect(events).toEqual([{ type: 'done', status: 'aborted', executionCount: null }])
})

test('output of a kernel that never says which code it begins counts as the beginning', () => {
  const { execution, events } = begin()
  for (const message of [busy, say('iopub', 'stream', { name: 'stdout', text: 'a' })])
    execution.handle(message)
  expect(events[0]).toEqual({ type: 'started', executionCount: null })
})

test('a kernel that is busy and says nothing more is announced', () => {
  const { execution, events } = begin()
  execution.announce()
  expect(events).toEqual([])
  execution.handle(busy)
  execution.announce()
  execution.announce()
  expect(events).toEqual([{ type: 'started', executionCount: null }])
})

test('an error while the kernel is at something else may turn out to be its shutdown', () => {
  const { execution, events } = begin({ isDisturbed: true })
  for (const message of [busy, input, error, failed, idle]) execution.handle(message)
  expect(events).toEqual([started, errorOutput])
  execution.doom(restarted())
  expect(events.at(-1)).toEqual({ type: 'lost', ...restarted() })
})

test('an error while the kernel is at something else ends as one when no shutdown follows', () => {
  const { execution, events } = begin({ isDisturbed: true })
  for (const message of [busy, input, error, failed, idle]) execution.handle(message)
  vi.runAllTimers()
  expect(events.at(-1)).toEqual({ type: 'done', status: 'error', executionCount: 3 })
})

test('what a doomed kernel still says is kept, and its end is the loss', () => {
  const { execution, events } = begin()
  for (const message of [busy, input]) execution.handle(message)
  execution.doom(restarted())
  for (const message of [error, failed, idle]) execution.handle(message)
  expect(events).toEqual([started, errorOutput, { type: 'lost', ...restarted() }])
})

test('there is one end, and nothing comes after it', () => {
  const { execution, events, ends } = begin()
  for (const message of [busy, input]) execution.handle(message)
  execution.lose(died(true))
  execution.lose(restarted())
  for (const message of [error, ok, idle]) execution.handle(message)
  execution.conclude()
  expect(events).toEqual([started, { type: 'lost', ...died(true) }])
  expect(ends()).toBe(1)
})

test.each([
  ['ran without an error', [busy, input, idle], { type: 'done', status: 'ok', executionCount: 3 }],
  ['ran into an error', [busy, input, error], { type: 'done', status: 'error', executionCount: 3 }],
  [
    'was never seen',
    [],
    expect.objectContaining({ type: 'lost', message: expect.stringContaining('did not run') }),
  ],
])(
  'code whose last messages were lost in a break and that %s ends with what is known',
  (_name, messages, end) => {
    const { execution, events } = begin()
    execution.cut({ isClosed: () => true })
    for (const message of messages) execution.handle(message)
    execution.conclude()
    expect(events.at(-1)).toEqual(end)
  },
)

test.each([
  ['never seen', [], /Nothing was heard.*not known/],
  ['ended without a reply', [busy, input, idle], /no reply.*not known/],
])('code that was %s without a break is not taken for done', (_name, messages, why) => {
  const { execution, events } = begin()
  for (const message of messages) execution.handle(message)
  execution.conclude()
  expect(events.at(-1)).toMatchObject({ type: 'lost', message: expect.stringMatching(why) })
})

test('code whose reply came and whose other messages were lost in a flood ends, and says so', () => {
  const { execution, events } = begin()
  for (const message of [busy, input, failed]) execution.handle(message)
  expect(execution.isHalfEnded()).toBe(true)
  execution.conclude()
  expect(events).toEqual([
    started,
    {
      type: 'output',
      output: expect.objectContaining({ text: expect.stringContaining('outputs were lost') }),
    },
    errorOutput,
    { type: 'done', status: 'error', executionCount: 3 },
  ])
})

test.each([true, false])('after breaks the end says whether outputs may be missing (%s)', (isClosed) => {
  const { execution, events } = begin()
  execution.handle(busy)
  execution.cut({ isClosed: () => isClosed })
  execution.cut({ isClosed: () => true })
  for (const message of [input, ok, idle]) execution.handle(message)
  expect(events).toEqual([started, { type: 'reconnected', mayMissOutputs: !isClosed }, done])
})

test('a break that does not heal is no reconnection', () => {
  const { execution, events } = begin()
  execution.cut({ isClosed: () => false })
  execution.lose(closedHere())
  expect(events).toEqual([{ type: 'lost', ...closedHere() }])
})

test('tells of input that was asked for', () => {
  const { execution, events } = begin()
  execution.handle(say('stdin', 'input_request', { prompt: 'name? ' }))
  expect(events).toEqual([{ type: 'input_refused', prompt: 'name? ' }])
})

function begin({ isDisturbed = false } = {}) {
  const events: ExecutionEvent[] = []
  let ends = 0
  const execution = createExecution({
    emit: (event) => void events.push(event),
    onEnd: () => {
      ends += 1
    },
    isDisturbed: () => isDisturbed,
  })
  return { execution, events, ends: () => ends }
}

function say(channel: Channel, type: string, content: Record<string, unknown>) {
  return createMessage({ channel, type, session: 'kernel', content })
}
