import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { ComposerError } from '../composer-error.ts'
import { LinkError } from '../link/link-error.ts'
import type { Reply } from '../rpc.ts'
import { define } from '../supervisor/links.fixture.ts'
import { createCircuit } from './circuit.ts'
import { createCalls } from './create-calls.ts'
import { createAsker, createFakeLink, createFakeServer, DONE } from './servers.fixture.ts'

const limits = { ...define('a').limits, breakerFailures: 3, breakerOpenMs: 30_000 }

function create() {
  let now = 0
  const link = {}
  const circuit = createCircuit(() => now)
  return {
    circuit,
    link,
    pass: (ms: number) => {
      now += ms
    },
    fail: (times: number) => {
      for (let turn = 0; turn < times; turn += 1) circuit.failed(false, link, limits)
    },
  }
}

describe('a circuit', () => {
  test('opens after so many failures in a row', () => {
    const { circuit, link, fail } = create()
    fail(2)
    circuit.answered()
    fail(2)
    expect([circuit.state, circuit.enter(link)]).toEqual(['closed', 'call'])
    fail(1)
    expect([circuit.state, circuit.enter(link)]).toEqual(['open', 30_000])
  })

  test('then lets one call try, and closes when it is answered', () => {
    const { circuit, link, fail, pass } = create()
    fail(3)
    pass(29_999)
    expect(circuit.enter(link)).toBe(1)
    pass(1)
    expect([circuit.state, circuit.enter(link), circuit.enter(link)]).toEqual(['half-open', 'trial', 0])
    circuit.answered()
    expect([circuit.state, circuit.enter(link)]).toEqual(['closed', 'call'])
  })

  test('opens again when the trial fails', () => {
    const { circuit, link, fail, pass } = create()
    fail(3)
    pass(30_000)
    circuit.enter(link)
    circuit.failed(true, link, limits)
    expect([circuit.state, circuit.enter(link)]).toEqual(['open', 30_000])
  })

  test('lets another one try when the caller of the trial went away', () => {
    const { circuit, link, fail, pass } = create()
    fail(3)
    pass(30_000)
    circuit.enter(link)
    circuit.left(true)
    expect(circuit.enter(link)).toBe('trial')
  })

  test('does not hold a new generation of the server for what the last one did', () => {
    const { circuit, fail } = create()
    fail(3)
    expect([circuit.enter(undefined), circuit.enter({}), circuit.enter({})]).toEqual([
      30_000,
      'trial',
      30_000,
    ])
  })

  test('never opens where it is switched off', () => {
    const { circuit, link } = create()
    for (let turn = 0; turn < 100; turn += 1) circuit.failed(false, link, { ...limits, breakerFailures: 0 })
    expect(circuit.state).toBe('closed')
  })
})

describe('what counts as a failure', () => {
  const lost = () => Promise.reject(new LinkError('lost', 'gone'))
  const silent = () => new Promise<Reply>(() => undefined)
  const breaking = { breakerFailures: 2, breakerOpenMs: 30_000, timeoutMs: 10 }

  test.each([
    ['a lost server', lost, 'open'],
    ['a server that did not get it', () => Promise.reject(new LinkError('unsent', 'gone')), 'open'],
    ['a timeout', silent, 'open'],
    ['a result', async () => DONE, 'closed'],
    ['an error that was answered', async () => ({ error: { code: -32000, message: 'no' } }), 'closed'],
    ['a fault of ours', () => Promise.reject(new TypeError('a bug')), 'closed'],
  ] as const)('%s leaves it as it should', async (_what, answer, circuit) => {
    const server = createFakeServer(answer, breaking)
    const calls = createCalls()
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.allSettled([calls.request(server, 'tools/call', { name: 'echo' }, createAsker())])
    }
    expect(calls.status('files').circuit).toBe(circuit)
  })

  test('cancellations by the caller do not count', async () => {
    const server = createFakeServer(silent, { ...breaking, timeoutMs: 10_000 })
    const calls = createCalls()
    for (let turn = 0; turn < 5; turn += 1) {
      const controller = new AbortController()
      const asked = calls.request(server, 'tools/call', {}, createAsker({ signal: controller.signal }))
      controller.abort()
      await Promise.allSettled([asked])
    }
    expect(calls.status('files').circuit).toBe('closed')
  })

  test.each([
    ['a start that failed counts', 'starting', 'open'],
    ['a server that was down already does not', 'crashed', 'closed'],
  ] as const)('%s', async (_what, state, circuit) => {
    const server = createFakeServer(silent, breaking)
    server.current = undefined
    server.state = state
    server.waiting = () => Promise.reject(new ComposerError('SERVER_CRASHED', 'it ended'))
    const calls = createCalls()
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.allSettled([calls.request(server, 'tools/call', {}, createAsker())])
    }
    expect(calls.status('files').circuit).toBe(circuit)
  })

  test('while it is open, callers are told when to come back and the server is left alone', async () => {
    verifies('CO-LIMIT-3')
    const server = createFakeServer(lost, breaking)
    const calls = createCalls()
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.allSettled([calls.request(server, 'tools/call', {}, createAsker())])
    }
    await expect(calls.request(server, 'tools/call', {}, createAsker())).rejects.toMatchObject({
      code: 'CIRCUIT_OPEN',
      problem: { status: 503 },
      message: 'Server "files" has failed too often and is left alone. Try again in 30 s.',
      headers: { 'retry-after': '30' },
    })
    expect(calls.status('files')).toEqual({ inFlight: 0, queued: 0, circuit: 'open' })
    server.current = createFakeLink(async () => DONE)
    expect(await calls.request(server, 'tools/call', {}, createAsker())).toBe(DONE)
    expect(calls.status('files').circuit).toBe('closed')
  })
})
