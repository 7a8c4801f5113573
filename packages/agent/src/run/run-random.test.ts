import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { AgentError } from '../agent-error.ts'
import type { AgentEvent } from '../event.ts'
import type { Message } from '../message.ts'
import { type Decision, type RunResult, runAgent } from './run-agent.ts'
import {
  answer,
  calls,
  ends,
  expectAnswered,
  type Line,
  options,
  says,
  scriptedModel,
  thinks,
  toolNamed,
  user,
} from './script.fixture.ts'

const SEEDS = 40
const HANG_MS = 5
const NAMES = ['good', 'slow', 'throwing', 'deaf', 'approved', 'missing']

const tools = [
  toolNamed('good', () => answer('ok')),
  toolNamed('slow', () => new Promise((resolve) => setImmediate(resolve, answer('ok')))),
  toolNamed('throwing', () => {
    throw new Error('no')
  }),
  toolNamed('deaf', () => new Promise(() => undefined), { timeoutMs: HANG_MS }),
  toolNamed('approved', () => answer('ok'), { needsApproval: true }),
]

type Departure = 'stay' | 'abort' | 'leave'

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'seed %i: whatever happens at whichever event, every call is answered and the run ends once',
  async (seed) => {
    const script = randomScript(seed)
    const whole = await check(script, 'stay', -1)
    for (let index = 0; index < whole; index += 1) {
      await check(script, 'abort', index)
      await check(script, 'leave', index)
    }
  },
)

async function check(
  script: readonly (readonly Line[])[],
  departure: Departure,
  at: number,
): Promise<number> {
  const model = scriptedModel(...script)
  let messages: readonly Message[] = [user('Go.')]
  let decisions = new Map<string, Decision>()
  let count = 0
  for (;;) {
    const control = new AbortController()
    // A script may end in silence, which only an abort ends.
    const timer = setTimeout(() => control.abort(), 4 * HANG_MS)
    const run = runAgent(
      { maxSteps: 3 },
      messages,
      options(model, tools, { signal: control.signal, decisions }),
    )
    const events: AgentEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (departure === 'abort' && count === at) control.abort()
      count += 1
      if (departure === 'leave' && count - 1 === at) break
    }
    const result = await run.result()
    clearTimeout(timer)
    expect(getEventListeners(control.signal, 'abort')).toHaveLength(0)
    expectConsistent(events, result, departure)
    messages = [...messages, ...result.messages]
    expectAnswered(
      messages,
      result.pending.map(({ id }) => id),
    )
    if (result.reason !== 'approval') return count
    decisions = new Map(result.pending.map(({ id }, index) => [id, { isApproved: index % 2 === 0 }]))
  }
}

function expectConsistent(events: readonly AgentEvent[], result: RunResult, departure: Departure): void {
  const said = events.flatMap((event) => (event.type === 'message' ? [event.message] : []))
  expect(result.messages.slice(0, said.length)).toEqual(said)
  expect(result.pending.length > 0).toBe(result.reason === 'approval')
  expect(result.error !== undefined).toBe(result.reason === 'failed')
  const ends = events.filter(({ type }) => type === 'done')
  if (departure === 'leave' && ends.length === 0) return
  expect(result.messages).toHaveLength(said.length)
  expect(ends).toEqual([events.at(-1)])
  expect(ends[0]).toMatchObject({ reason: result.reason, usage: result.usage })
  expect(events.filter(({ type }) => type === 'error')).toHaveLength(result.reason === 'failed' ? 1 : 0)
}

function randomScript(seed: number): readonly (readonly Line[])[] {
  const random = randomFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  return Array.from({ length: 5 }, () => {
    const lines: Line[] = []
    if (random() < 0.3) lines.push(thinks('hm'))
    if (random() < 0.6) lines.push(says('a'), says('b'))
    if (random() < 0.8) {
      for (let number = below(4); number >= 0; number -= 1) {
        const args = random() < 0.2 ? '{"half' : {}
        lines.push(calls(random() < 0.5 ? `c${below(3)}` : '', NAMES[below(NAMES.length)] ?? '', args))
      }
    }
    const fate = random()
    if (fate < 0.85) lines.push(ends('tool_calls'))
    else if (fate < 0.9) lines.push(new AgentError('unavailable', 'The provider is down.'))
    else if (fate < 0.95) lines.push('deafness')
    return lines
  })
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
