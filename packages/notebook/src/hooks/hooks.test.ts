import { createLogger } from '@quire/kit/log'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ExecutionResult } from '../execution/execution-result.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolCall } from './events.ts'
import { createHooks, type Hooks } from './hooks.ts'

const CALL = { toolName: 'execute_code', arguments: { code: '1' } }
const CODE = { code: '1 + 1', kernelId: 'k1', notebook: 'n' }
const DONE: ExecutionResult = { status: 'ok', outputs: [], executionCount: 1, seconds: 0, notes: [] }

let lines: string[]
let hooks: Hooks
let told: string[]
beforeEach(() => {
  lines = []
  told = []
  hooks = createHooks(
    createLogger({ level: 'warn', pretty: false, destination: { write: (line) => lines.push(line) } }),
  )
})

/** Notes every event of a tool call, so that none can be missing or told twice. */
function listen(name: string): void {
  hooks.on('before_tool_call', () => void told.push(`before ${name}`))
  hooks.on(
    'after_tool_call',
    (event) => void told.push(`after ${name}: ${event.ok ? event.result : event.error}`),
  )
}

function refuse(error: unknown) {
  return () => {
    throw error
  }
}

const forever = () => new Promise<void>(() => undefined)

describe('around a tool call', () => {
  test('handlers run in the order of their registration, and share one object', async () => {
    const seen: unknown[] = []
    hooks.on('before_tool_call', async (call) => {
      await Promise.resolve()
      call.shared.set('a', 1)
      seen.push(call)
    })
    hooks.on('before_tool_call', (call) => void call.shared.set('b', call.shared.get('a')))
    hooks.on('after_tool_call', (call) => void seen.push(call))
    listen('x')
    listen('y')
    expect(await hooks.aroundToolCall({ ...CALL, subject: 'ada' }, async () => 'result')).toBe('result')
    expect(seen[0]).toBe(seen[1])
    expect(seen[0]).toMatchObject({
      ...CALL,
      subject: 'ada',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      shared: new Map([
        ['a', 1],
        ['b', 1],
      ]),
      ok: true,
      result: 'result',
      durationMs: expect.any(Number),
    })
    expect(told).toEqual(['before x', 'before y', 'after x: result', 'after y: result'])
  })

  test('the event after it comes once when the call fails', async () => {
    listen('x')
    const error = new ToolError('not_found', 'no such cell')
    await expect(hooks.aroundToolCall(CALL, () => Promise.reject(error))).rejects.toBe(error)
    expect(told).toEqual(['before x', 'after x: ToolError: no such cell'])
  })

  test('and when it throws at once, whatever it throws', async () => {
    listen('x')
    await expect(hooks.aroundToolCall(CALL, refuse(undefined))).rejects.toBeUndefined()
    expect(told).toEqual(['before x', 'after x: undefined'])
  })

  test('and when it is aborted', async () => {
    listen('x')
    const { signal } = { signal: AbortSignal.abort() }
    await expect(hooks.aroundToolCall(CALL, async () => signal.throwIfAborted())).rejects.toThrow('aborted')
    expect(told).toEqual(['before x', 'after x: AbortError: This operation was aborted'])
  })

  test('a critical handler can veto: nothing is run, those behind it are not asked, all are told', async () => {
    listen('x')
    hooks.on('before_tool_call', refuse(new Error('not on a Sunday')), { critical: true })
    listen('y')
    let isRun = false
    const calling = hooks.aroundToolCall(CALL, async () => {
      isRun = true
    })
    await expect(calling).rejects.toMatchObject({
      name: 'ToolError',
      code: 'forbidden',
      message: 'A hook of this server refused it: not on a Sunday.',
    })
    expect(isRun).toBe(false)
    const veto = 'ToolError: A hook of this server refused it: not on a Sunday.'
    expect(told).toEqual(['before x', `after x: ${veto}`, `after y: ${veto}`])
  })

  test('a veto with a text for the caller is passed on as it is', async () => {
    const veto = new ToolError('busy', 'come back later')
    hooks.on('before_tool_call', () => Promise.reject(veto), { critical: true })
    await expect(hooks.aroundToolCall(CALL, async () => 1)).rejects.toBe(veto)
  })

  test('what another handler throws is logged and ignored', async () => {
    hooks.on('before_tool_call', refuse(new Error('one')))
    hooks.on('after_tool_call', () => Promise.reject(new Error('two')))
    hooks.on('after_tool_call', refuse('no error at all'))
    listen('x')
    expect(await hooks.aroundToolCall(CALL, async () => 1)).toBe(1)
    expect(told).toEqual(['before x', 'after x: 1'])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'before_tool_call', critical: false, err: { message: 'one' } },
      { event: 'after_tool_call', err: { message: 'two' } },
      { event: 'after_tool_call', err: 'no error at all' },
    ])
  })

  test('a critical handler that fails afterwards fails the call; everybody else is told, once', async () => {
    listen('x')
    hooks.on('after_tool_call', refuse(new Error('disk full')), { critical: true })
    hooks.on('after_tool_call', refuse(new Error('second')), { critical: true })
    listen('y')
    const error = await hooks.aroundToolCall(CALL, async () => 1).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      name: 'ToolError',
      code: 'failing',
      message: expect.stringMatching(/^It was done, but .* failed afterwards: disk full\. /),
    })
    expect(told).toEqual(['before x', 'before y', 'after x: 1', 'after y: 1'])
  })

  test('the error of the call itself is worth more than one that follows it', async () => {
    hooks.on('after_tool_call', refuse(new Error('disk full')), { critical: true })
    await expect(hooks.aroundToolCall(CALL, () => Promise.reject(new Error('first')))).rejects.toThrow(
      'first',
    )
    expect(lines).toHaveLength(1)
  })

  test('a handler that hangs is given up', async () => {
    hooks.on('before_tool_call', forever, { timeoutMs: 10 })
    hooks.on('after_tool_call', forever, { timeoutMs: 10 })
    listen('x')
    expect(await hooks.aroundToolCall(CALL, async () => 1)).toBe(1)
    expect(told).toEqual(['before x', 'after x: 1'])
    expect(lines.join()).toContain('it did not finish within 10 ms')
  })

  test('a critical one that hangs is a veto', async () => {
    hooks.on('before_tool_call', forever, { critical: true, timeoutMs: 10 })
    listen('x')
    await expect(hooks.aroundToolCall(CALL, async () => 1)).rejects.toMatchObject({ code: 'forbidden' })
    expect(told).toHaveLength(1)
  })

  test('a handler that fails after it was given up hurts nobody', async () => {
    const late = Promise.withResolvers<void>()
    hooks.on('before_tool_call', () => late.promise, { timeoutMs: 10 })
    await hooks.aroundToolCall(CALL, async () => 1)
    // An unhandled rejection would fail the run.
    late.reject(new Error('late'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(lines).toHaveLength(1)
  })

  test('a handler can be taken away, also while it is being told', async () => {
    const off = hooks.on('before_tool_call', () => {
      told.push('once')
      off()
    })
    listen('x')
    await hooks.aroundToolCall(CALL, async () => 1)
    await hooks.aroundToolCall(CALL, async () => 2)
    off()
    expect(told).toEqual(['once', 'before x', 'after x: 1', 'before x', 'after x: 2'])
  })
})

describe('around an execution', () => {
  test('the event after it says how it went', async () => {
    const seen: object[] = []
    hooks.on('before_execute', (execution) => void seen.push({ ...execution }))
    hooks.on('after_execute', (execution) => void seen.push(execution))
    const result: ExecutionResult = {
      ...DONE,
      status: 'timeout',
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'secret output' }],
    }
    expect(await hooks.aroundExecution(CODE, async () => result)).toBe(result)
    expect(seen).toMatchObject([CODE, { ...CODE, ok: true, status: 'timeout', outputCount: 1 }])
    expect(seen[0]).not.toHaveProperty('ok')
    expect(JSON.stringify(seen)).not.toContain('secret output')
  })

  test('and what was thrown', async () => {
    const seen: unknown[] = []
    hooks.on('after_execute', (execution) => void seen.push(execution.ok || execution.error))
    await expect(hooks.aroundExecution(CODE, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(seen).toEqual([new Error('lost')])
  })

  test('can be vetoed', async () => {
    hooks.on('before_execute', refuse(new Error('rm is not allowed')), { critical: true })
    await expect(hooks.aroundExecution(CODE, async () => DONE)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('knows its tool call, among others that run at the same time', async () => {
    const pairs: (string | undefined)[][] = []
    hooks.on('after_execute', ({ code, toolCall }) => void pairs.push([code, toolCall?.toolName]))
    const run = (name: string) =>
      hooks.aroundToolCall({ toolName: name, arguments: {} }, async () => {
        for (const part of ['1', '2']) {
          await new Promise((resolve) => setImmediate(resolve))
          await hooks.aroundExecution({ code: `${name}${part}`, kernelId: 'k' }, async () => DONE)
        }
      })
    await Promise.all([
      run('a'),
      run('b'),
      hooks.aroundExecution({ code: 'alone', kernelId: 'k' }, async () => DONE),
    ])
    expect(pairs.sort()).toEqual([
      ['a1', 'a'],
      ['a2', 'a'],
      ['alone', undefined],
      ['b1', 'b'],
      ['b2', 'b'],
    ])
  })
})

test('kernel events reach their handlers', async () => {
  const seen: unknown[] = []
  const event = { event: 'replaced', kernelId: 'k2', kernelName: 'python3' } as const
  hooks.on('kernel_lifecycle', (told) => void seen.push(told))
  hooks.on('kernel_lifecycle', refuse(new Error('ignored')))
  await hooks.kernelLifecycle(event)
  expect(seen).toEqual([event])
  hooks.on('kernel_lifecycle', refuse(new Error('not ignored')), { critical: true })
  await expect(hooks.kernelLifecycle(event)).rejects.toMatchObject({ code: 'failing' })
})

test('two sets of hooks in one process do not know each other', async () => {
  const others = createHooks(createLogger({ level: 'silent', pretty: false }))
  const seen: (ToolCall | undefined)[] = []
  others.on('after_execute', ({ toolCall }) => void seen.push(toolCall))
  await hooks.aroundToolCall(CALL, () => others.aroundExecution(CODE, async () => DONE))
  expect(seen).toEqual([undefined])
})
