import { getEventListeners } from 'node:events'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test, vi } from 'vitest'
import { ComposerError } from '../composer-error.ts'
import type { LinkEnd } from '../link/link.ts'
import { LinkError } from '../link/link-error.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import { END } from '../supervisor/links.fixture.ts'
import { createCalls } from './create-calls.ts'
import { type Answer, createAsker, createFakeLink, createFakeServer, DONE } from './servers.fixture.ts'

const echo = { name: 'echo', arguments: { text: 'hi' } }
const never: Answer = () => new Promise(() => undefined)
/** Lets the time pass at once: were it awaited, others in this process would have a turn to set timers of their own. */
const lateAnswer: Answer = async () => {
  vi.advanceTimersByTime(100)
  return never('', {}, createAsker())
}

/** Answers when it is told to, one after the other. */
function createHeld() {
  const held: ((reply: Reply) => void)[] = []
  const answer: Answer = () => new Promise((resolve) => held.push(resolve))
  return { answer, held, release: () => held.shift()?.(DONE) }
}

describe('an answer', () => {
  test.each([
    ['a result', DONE],
    ['an error', { error: { code: -32602, message: 'unknown tool', data: { a: 1 } } }],
  ])('comes back as the server gave it: %s', async (_what, reply) => {
    const calls = createCalls()
    const asker = createAsker()
    const seen: [string, Params, Asker][] = []
    const server = createFakeServer(async (...asked) => {
      seen.push(asked)
      return reply
    })
    expect(await calls.request(server, 'tools/call', echo, asker)).toBe(reply)
    expect(seen[0]?.[0]).toBe('tools/call')
    expect(seen[0]?.[1]).toBe(echo)
    expect(seen[0]?.[2].client).toBe(asker.client)
  })

  test.each<[string, Answer, string]>([
    ['an answer', async () => DONE, 'fulfilled'],
    ['a failure', () => Promise.reject(new LinkError('lost', 'gone')), 'rejected'],
    ['no answer in time', lateAnswer, 'rejected'],
  ])('leaves nothing behind after %s', async (_what, answer, status) => {
    vi.useFakeTimers()
    try {
      const calls = createCalls()
      const asker = createAsker()
      const server = createFakeServer(answer, { resetOnProgress: true, timeoutMs: 100, maxTotalMs: 1000 })
      const [result] = await Promise.allSettled([calls.request(server, 'tools/call', echo, asker)])
      expect(result?.status).toBe(status)
      expect(vi.getTimerCount()).toBe(0)
      expect(getEventListeners(asker.signal, 'abort')).toEqual([])
      expect(calls.status('files')).toMatchObject({ inFlight: 0, queued: 0 })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('cancelling', () => {
  test('is answered at once, even by a server that does not care', async () => {
    const controller = new AbortController()
    const calls = createCalls()
    const asked = calls.request(
      createFakeServer(never),
      'tools/call',
      echo,
      createAsker({ signal: controller.signal }),
    )
    controller.abort()
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(calls.status('files').inFlight).toBe(0)
  })

  test('before it began, the server never hears of it', async () => {
    const answer = vi.fn<Answer>(async () => DONE)
    const asked = createCalls().request(
      createFakeServer(answer),
      'tools/call',
      echo,
      createAsker({ signal: AbortSignal.abort() }),
    )
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(answer).not.toHaveBeenCalled()
  })
})

describe('a server that is lost', () => {
  test.each([
    ['lost', 'Server "files" was lost in the middle of the call; whether it was done is unknown.'],
    ['unsent', 'Server "files" was lost before the call reached it; nothing was done.'],
  ] as const)('"%s" says what is known, and is not asked again', async (fault, message) => {
    verifies('CO-INVOKE-7')
    const answer = vi.fn<Answer>(() => Promise.reject(new LinkError(fault, 'It ended.')))
    const asked = createCalls().request(createFakeServer(answer), 'tools/call', echo, createAsker())
    await expect(asked).rejects.toMatchObject({
      code: 'SERVER_LOST',
      problem: { status: 503 },
      message: `${message} The reason: It ended.`,
    })
    expect(answer).toHaveBeenCalledTimes(1)
  })

  test.each(['SERVER_NOT_RUNNING', 'SERVER_CRASHED'] as const)(
    'what its supervisor says comes through: %s',
    async (code) => {
      const server = createFakeServer(never)
      server.current = undefined
      server.waiting = () => Promise.reject(new ComposerError(code, 'no'))
      await expect(createCalls().request(server, 'tools/call', echo, createAsker())).rejects.toMatchObject({
        code,
      })
    },
  )

  test('a fault of ours stays what it is', async () => {
    const server = createFakeServer(() => Promise.reject(new TypeError('a bug')))
    await expect(createCalls().request(server, 'tools/call', echo, createAsker())).rejects.toThrow(TypeError)
  })
})

describe('a remote that has forgotten us', () => {
  function forget(): Promise<Reply> {
    return Promise.reject(new LinkError('forgotten', 'Unknown session.'))
  }

  test('is asked again once, over the new link', async () => {
    verifies('CO-LIMIT-4')
    const server = createFakeServer(never)
    const { promise: ended, resolve: end } = Promise.withResolvers<LinkEnd>()
    const old = createFakeLink(forget, ended)
    const fresh = vi.fn<Answer>(async () => DONE)
    server.current = old
    server.waiting = async () => {
      server.current = createFakeLink(fresh)
      return server.current
    }
    const asked = createCalls().request(server, 'tools/call', echo, createAsker())
    // The supervisor notices a moment after the call did.
    await new Promise((resolve) => setImmediate(resolve))
    server.current = undefined
    end({ ...END, isForgotten: true })
    expect(await asked).toBe(DONE)
    expect(fresh).toHaveBeenCalledTimes(1)
  })

  test('is not asked a third time', async () => {
    const answer = vi.fn<Answer>(forget)
    const server = createFakeServer(never)
    server.current = createFakeLink(answer, Promise.resolve(END))
    await expect(createCalls().request(server, 'tools/call', echo, createAsker())).rejects.toMatchObject({
      code: 'SERVER_LOST',
    })
    expect(answer).toHaveBeenCalledTimes(2)
  })

  test('and whose link never ends is given up in time', async () => {
    const server = createFakeServer(forget, { timeoutMs: 20 })
    await expect(createCalls().request(server, 'tools/call', echo, createAsker())).rejects.toMatchObject({
      code: 'TIMEOUT_ERROR',
    })
  })
})

describe('draining', () => {
  test('lets nothing begin, waits for what is under way, and turns the line away', async () => {
    const { answer, release } = createHeld()
    const server = createFakeServer(answer, { inFlight: 1 })
    const calls = createCalls()
    const running = calls.request(server, 'tools/call', echo, createAsker())
    const waiting = calls.request(server, 'tools/call', echo, createAsker())
    let isDrained = false
    const drained = calls.drain(60_000).then(() => {
      isDrained = true
    })
    await expect(waiting).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    await expect(calls.request(server, 'tools/call', echo, createAsker())).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      message: expect.stringContaining('the composer is stopping'),
    })
    expect(isDrained).toBe(false)
    release()
    expect(await running).toBe(DONE)
    await drained
  })

  test('cancels what outlasts the grace', async () => {
    const calls = createCalls()
    const running = calls.request(createFakeServer(never), 'tools/call', echo, createAsker())
    const [result] = await Promise.allSettled([running, calls.drain(10), calls.drain(60_000)])
    expect(result).toMatchObject({ reason: { code: 'CANCELLED' } })
  })

  test('is done at once where nothing is under way', async () => {
    await createCalls().drain(60_000)
  })
})

test('what is known of a server outlasts many others that come and go', async () => {
  const calls = createCalls()
  const lost = createFakeServer(() => Promise.reject(new LinkError('lost', 'gone')), { breakerFailures: 1 })
  await Promise.allSettled([calls.request(lost, 'tools/call', echo, createAsker())])
  for (let index = 0; index < 600; index += 1) {
    const server = { ...createFakeServer(async () => DONE), name: `s${index}` }
    await calls.request(server, 'tools/call', echo, createAsker())
  }
  expect(calls.status('files').circuit).toBe('open')
})
