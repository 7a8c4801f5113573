import { verifies } from '@quire/spec/verifies'
import { describe, expect, test, vi } from 'vitest'
import { ComposerError } from '../composer-error.ts'
import type { Params, Reply } from '../rpc.ts'
import { createCalls } from './create-calls.ts'
import { type Answer, createAsker, createFakeServer, DONE } from './servers.fixture.ts'

const echo = { name: 'echo', arguments: { text: 'hi' } }
const never: Answer = () => new Promise(() => undefined)

/** Answers when it is told to, one after the other. */
function createHeld() {
  const held: ((reply: Reply) => void)[] = []
  const answer: Answer = () => new Promise((resolve) => held.push(resolve))
  return { answer, held, release: () => held.shift()?.(DONE) }
}

describe('limits', () => {
  test('calls beyond those in flight wait their turn, and beyond the line they are refused', async () => {
    verifies('CO-LIMIT-2')
    const { answer, held, release } = createHeld()
    const server = createFakeServer(answer, { inFlight: 2, queued: 2 })
    const calls = createCalls()
    const replies = [1, 2, 3, 4].map(() => calls.request(server, 'tools/call', echo, createAsker()))
    expect(calls.status('files')).toEqual({ inFlight: 2, queued: 2, circuit: 'closed' })
    expect(held).toHaveLength(2)
    await expect(calls.request(server, 'tools/call', echo, createAsker())).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      problem: { status: 503 },
      message: 'Server "files" is busy: 2 calls are under way and 2 wait. Try again later.',
      headers: { 'retry-after': '1' },
    })
    for (const reply of replies) {
      release()
      await reply
    }
    expect(calls.status('files')).toEqual({ inFlight: 0, queued: 0, circuit: 'closed' })
  })

  test('servers do not share them', async () => {
    const calls = createCalls()
    const busy = createFakeServer(never, { inFlight: 1, queued: 0 })
    const controller = new AbortController()
    const stuck = calls.request(busy, 'tools/call', echo, createAsker({ signal: controller.signal }))
    const free = { ...createFakeServer(async () => DONE), name: 'free' }
    await expect(calls.request(free, 'tools/call', echo, createAsker())).resolves.toBe(DONE)
    controller.abort()
    await expect(stuck).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test('a call in the line leaves it with its signal', async () => {
    const { answer, held, release } = createHeld()
    const server = createFakeServer(answer, { inFlight: 1 })
    const calls = createCalls()
    const first = calls.request(server, 'tools/call', echo, createAsker())
    const controller = new AbortController()
    const second = calls.request(server, 'tools/call', echo, createAsker({ signal: controller.signal }))
    controller.abort()
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(calls.status('files')).toMatchObject({ inFlight: 1, queued: 0 })
    release()
    await first
    expect(held).toEqual([])
  })

  test('a call in the line leaves it when its time is up, and the server never hears of it', async () => {
    const server = createFakeServer(never, { inFlight: 1, timeoutMs: 30 })
    const calls = createCalls()
    const [first, second] = await Promise.allSettled([
      calls.request(
        {
          ...server,
          definition: { ...server.definition, limits: { ...server.definition.limits, timeoutMs: 5000 } },
        },
        'tools/call',
        echo,
        createAsker({ signal: AbortSignal.timeout(60) }),
      ),
      calls.request(server, 'tools/call', echo, createAsker()),
    ])
    expect(first).toMatchObject({ reason: { code: 'CANCELLED' } })
    expect(second).toMatchObject({
      reason: {
        code: 'TIMEOUT_ERROR',
        message: expect.stringContaining('did not get its turn within 0.03 s'),
      },
    })
    expect(calls.status('files')).toEqual({ inFlight: 0, queued: 0, circuit: 'closed' })
  })
})

describe('time', () => {
  test('a tool that takes too long is given up, and its server is told', async () => {
    verifies('CO-INVOKE-8')
    let told: unknown
    const server = createFakeServer(
      (_method, _params, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            told = signal.reason
          })
        }),
      { timeoutMs: 20 },
    )
    const calls = createCalls()
    await expect(calls.request(server, 'tools/call', echo, createAsker())).rejects.toMatchObject({
      code: 'TIMEOUT_ERROR',
      problem: { status: 504 },
      message: 'Tool "echo" of server "files" did not answer within 0.02 s and was told to stop.',
    })
    expect(told).toBeInstanceOf(ComposerError)
    expect(calls.status('files').inFlight).toBe(0)
  })

  test('the wait for a server that starts counts', async () => {
    const server = createFakeServer(async () => DONE, { timeoutMs: 20 })
    server.current = undefined
    server.waiting = () => new Promise(() => undefined)
    const asked = createCalls().request(server, 'prompts/get', { name: 'x' }, createAsker())
    await expect(asked).rejects.toMatchObject({
      code: 'TIMEOUT_ERROR',
      message: '"prompts/get" of server "files" did not answer within 0.02 s and was told to stop.',
    })
  })

  /** Tells progress three times, a bit apart, and then answers. */
  const progressing: Answer = async (_method, params, asker) => {
    for (let progress = 1; progress <= 3; progress += 1) {
      await vi.advanceTimersByTimeAsync(80)
      asker.notify?.('notifications/progress', { progressToken: 'asker', progress })
    }
    await vi.advanceTimersByTimeAsync(80)
    return { result: Buffer.from(JSON.stringify(params)) }
  }

  test.each([
    ['starts the time anew', { resetOnProgress: true, maxTotalMs: 1000 }, 'fulfilled'],
    ['does not do so unless it is configured', { resetOnProgress: false, maxTotalMs: 1000 }, 'rejected'],
    ['does so up to the limit of the whole', { resetOnProgress: true, maxTotalMs: 250 }, 'rejected'],
  ])('progress %s', async (_what, limits, status) => {
    verifies('CO-LIMIT-1')
    vi.useFakeTimers()
    try {
      const server = createFakeServer(progressing, { ...limits, timeoutMs: 100 })
      const [result] = await Promise.allSettled([
        createCalls().request(server, 'tools/call', echo, createAsker()),
      ])
      expect(result?.status).toBe(status)
    } finally {
      vi.useRealTimers()
    }
  })

  test('the time in which a client is asked is not counted as the server’s, and has an end as well', async () => {
    vi.useFakeTimers()
    try {
      const answers: ((answer: string) => void)[] = []
      const asker = createAsker({ ask: () => new Promise((resolve) => answers.push(resolve)) })
      const asking: Answer = async (_method, _params, { ask, signal }) => {
        await ask?.('elicitation/create', { message: 'Sure?' }, signal)
        await new Promise((resolve) => setTimeout(resolve, 80))
        return DONE
      }
      const server = createFakeServer(asking, { resetOnProgress: false, timeoutMs: 100 })
      const calls = createCalls()
      const answered = calls.request(server, 'tools/call', echo, asker)
      await vi.advanceTimersByTimeAsync(200_000)
      answers.shift()?.('yes')
      await vi.advanceTimersByTimeAsync(80)
      expect(await answered).toBe(DONE)

      const [forgotten] = await Promise.all([
        Promise.allSettled([calls.request(server, 'tools/call', echo, asker)]),
        vi.advanceTimersByTimeAsync(300_000),
      ])
      expect(forgotten).toMatchObject([{ status: 'rejected', reason: { code: 'TIMEOUT_ERROR' } }])
    } finally {
      vi.useRealTimers()
    }
  })

  test('progress is asked for even where nobody wants it, and then goes no further', async () => {
    const told: string[] = []
    const asker = createAsker({ notify: (method) => told.push(method) })
    let sent: Params = {}
    const server = createFakeServer(
      async (_method, params, by) => {
        sent = params
        by.notify?.('notifications/progress', { progress: 1 })
        by.notify?.('notifications/message', { level: 'info' })
        return DONE
      },
      { resetOnProgress: true },
    )
    const calls = createCalls()
    await calls.request(server, 'tools/call', { ...echo, _meta: { trace: 1 } }, asker)
    expect(sent).toEqual({ ...echo, _meta: { trace: 1, progressToken: expect.any(String) } })
    expect(told).toEqual(['notifications/message'])
    const wanted = { ...echo, _meta: { progressToken: 0 } }
    await calls.request(server, 'tools/call', wanted, asker)
    expect(sent).toBe(wanted)
    expect(told).toEqual(['notifications/message', 'notifications/progress', 'notifications/message'])
  })
})
