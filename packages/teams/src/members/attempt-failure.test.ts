import { AgentError, type AgentFault } from '@quire/agent/agent-error'
import { createRedactor } from '@quire/kit/redact'
import { describe, expect, test } from 'vitest'
import { toAttemptFailure } from './attempt-failure.ts'
import { BudgetSpent } from './members.ts'

describe('another attempt', () => {
  test.each<[AgentFault, boolean]>([
    ['rate_limited', true],
    ['unavailable', true],
    ['garbled', true],
    ['internal', true],
    ['unconfigured', false],
    ['unknown_model', false],
    ['refused', false],
    ['too_long', false],
    ['steps', false],
  ])('after "%s": %s', (fault, isRetryable) => {
    expect(toAttemptFailure(new AgentError(fault, 'A sentence.'))).toMatchObject({
      error: { code: fault },
      isRetryable,
    })
  })

  test('comes when the provider says', () => {
    const error = new AgentError('rate_limited', 'Slow down.', { retryAfterMs: 1500 })
    expect(toAttemptFailure(error).retryAfterMs).toBe(1500)
    expect(toAttemptFailure(new AgentError('garbled', 'x'))).not.toHaveProperty('retryAfterMs')
  })

  test('may come after the time was over, not when the budget is spent', async () => {
    const timeout = AbortSignal.timeout(1)
    await new Promise((resolve) => timeout.addEventListener('abort', resolve))
    const failure = toAttemptFailure(timeout.reason)
    expect(failure).toMatchObject({ error: { code: 'timeout' }, isRetryable: true })
    expect(failure.error.message).toContain('timeout_seconds')
    expect(toAttemptFailure(new BudgetSpent('All is spent.'))).toEqual({
      error: { code: 'budget', message: 'All is spent.' },
      isRetryable: false,
    })
  })
})

describe('what is said', () => {
  test.each<[unknown]>([
    [new TypeError('x is not a function at /srv/app.ts')],
    [new AgentError('internal', 'SELECT secret', { cause: new Error('secret') })],
    ['secret'],
    [{ message: 'secret', name: 'AgentError', fault: 'refused' }],
    [undefined],
    [null],
    [new Error('secret', { cause: 'secret' })],
  ])('shows nothing of %o', (error) => {
    const { error: told, isRetryable } = toAttemptFailure(error)
    expect(told).toEqual({ code: 'internal', message: expect.stringContaining('the log') })
    expect(told.message).not.toMatch(/secret|function|srv/)
    expect(isRetryable).toBe(true)
  })

  test('is masked, and bounded', () => {
    const redactor = createRedactor({ secrets: ['hunter2-hunter2'] })
    const error = new AgentError('refused', `The key hunter2-hunter2 is wrong. ${'x'.repeat(10_000)}`)
    const { message } = toAttemptFailure(error, redactor).error
    expect(message).not.toContain('hunter2')
    expect(message.length).toBe(4_000)
  })
})
