import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { AgentError } from '../agent-error.ts'
import { runAgent } from './run-agent.ts'
import {
  answer,
  calls,
  ends,
  type Line,
  options,
  says,
  scriptedModel,
  toolNamed,
  user,
} from './script.fixture.ts'

const MINUTE = 60_000
const down = new AgentError('unavailable', 'The provider is down.')

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

test.each<[string, readonly (readonly Line[])[]]>([
  [
    'ends',
    [
      [calls('c1', 'good'), calls('c2', 'throwing'), calls('c3', 'missing'), ends()],
      [says('Yes.'), ends()],
    ],
  ],
  [
    'fails',
    [
      [calls('c1', 'good'), ends()],
      [says('Half'), down],
    ],
  ],
  [
    'reaches its limit',
    [
      [calls('c1', 'good'), ends()],
      [calls('c2', 'good'), ends()],
    ],
  ],
  ['stops for a person', [[calls('c1', 'good'), calls('c2', 'asking'), ends()]]],
  ['is aborted while it calls tools', [[calls('c1', 'good'), calls('c2', 'deaf'), ends()]]],
  ['is aborted while the model speaks', [[says('Half'), 'deafness']]],
])('a run that %s leaves no timer and no listener', async (_how, script) => {
  const control = new AbortController()
  const signals = new Set<AbortSignal>([control.signal])
  const watch = (signal: AbortSignal): ReturnType<typeof answer> => {
    signals.add(signal)
    return answer('ok')
  }
  const tools = [
    toolNamed('good', (_args, { signal }) => watch(signal), { timeoutMs: MINUTE }),
    toolNamed('asking', () => answer('ok'), { needsApproval: true, timeoutMs: MINUTE }),
    toolNamed(
      'throwing',
      () => {
        throw new Error('no')
      },
      { timeoutMs: MINUTE },
    ),
    toolNamed(
      'deaf',
      (_args, { signal }) => {
        watch(signal)
        setImmediate(() => control.abort())
        return new Promise(() => undefined)
      },
      { timeoutMs: MINUTE },
    ),
  ]
  const model = scriptedModel(...script)
  const before = timers()
  const run = runAgent({ maxSteps: 2 }, [user('Go.')], options(model, tools, { signal: control.signal }))
  for await (const event of run) {
    if (event.type === 'text' && script[0]?.includes('deafness')) setImmediate(() => control.abort())
    if (event.type !== 'done') continue
    for (const { signal } of model.requests) signals.add(signal)
    expect([...signals].map((signal) => getEventListeners(signal, 'abort').length)).toEqual(
      [...signals].map(() => 0),
    )
    expect(timers()).toBe(before)
  }
})

test('ten thousand fragments leave nothing at the signal meanwhile', async () => {
  const model = scriptedModel([...Array.from({ length: 10_000 }, () => says('x')), ends()])
  let most = 0
  const run = runAgent({}, [user('Go.')], options(model))
  for await (const event of run) {
    const signal = model.requests[0]?.signal
    if (event.type === 'text' && signal) most = Math.max(most, getEventListeners(signal, 'abort').length)
  }
  expect(most).toBe(1)
  expect((await run.result()).text).toHaveLength(10_000)
})

test('a promise that rejects after it was abandoned is no unhandled rejection', async () => {
  const rejections: unknown[] = []
  const onRejection = (reason: unknown): void => void rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  try {
    const control = new AbortController()
    const late = Promise.withResolvers<never>()
    const later = Promise.withResolvers<never>()
    const model = {
      ...scriptedModel(),
      stream: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => late.promise, return: () => later.promise }),
      }),
    }
    const result = runAgent({}, [user('Go.')], options(model, [], { signal: control.signal })).result()
    setImmediate(() => control.abort())
    expect((await result).reason).toBe('aborted')
    late.reject(new Error('too late'))
    later.reject(new Error('too late'))
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(rejections).toEqual([])
  } finally {
    process.off('unhandledRejection', onRejection)
  }
})

test('a model that is given up is told so, whatever it was stopped for', async () => {
  let isLeft = false
  const model = {
    ...scriptedModel(),
    async *stream() {
      try {
        for (;;) yield says('x'.repeat(1_000_000))
      } finally {
        isLeft = true
      }
    },
  }
  expect(await runAgent({}, [user('Go.')], options(model)).result()).toMatchObject({
    error: { fault: 'garbled' },
  })
  expect(isLeft).toBe(true)
})
