import { AgentError } from '@quire/agent/agent-error'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTurnMetrics } from './turn-metrics.ts'
import {
  calls,
  collect,
  ends,
  merge,
  type ProcessOptions,
  says,
  startProcess,
  toolNamed,
} from './turns.fixture.ts'

const SECRET = 'what nobody but the owner may read'

describe.each(testDatabases)('how turns ended, on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  async function start(options: ProcessOptions) {
    const lines: string[] = []
    const destination = { write: (line: string) => lines.push(line) }
    const logger = createLogger({ level: 'debug', pretty: false, destination })
    const metrics = createMetrics({ service: 'runtime' })
    const process = await startProcess(database.url, {
      logger,
      metrics: createTurnMetrics(metrics),
      ...options,
    })
    onTestFinished(() => process.stop())
    async function metric(name: string): Promise<Record<string, number>> {
      const line = `^${name}\\{.*(?:status|kind|outcome|fault)="(\\w+)".*\\} ([\\d.]+)$`
      const found = (await metrics.text()).matchAll(new RegExp(line, 'gm'))
      return Object.fromEntries([...found].map(([, label = '', value]) => [label, Number(value)]))
    }
    return { ...process, lines, metric }
  }

  test('one that failed says why, is logged once and without a word of the prompt, and is counted', async () => {
    const one = await start({
      *script() {
        yield says('half')
        throw new AgentError('rate_limited', `Too many: ${SECRET}`, { retryAfterMs: 6_500 })
      },
    })
    const turn = await one.prompt(SECRET)
    expect(merge(await collect(turn))).toContainEqual({
      type: 'error',
      detail: `Too many: ${SECRET}`,
      status_code: 503,
      retry_after: 7,
    })
    expect(await one.conversations.lastTurn(turn.conversationId)).toMatchObject({
      error: { detail: `Too many: ${SECRET}`, statusCode: 503 },
      pending: [],
    })
    const told = one.lines.filter((line) => line.includes('a turn failed'))
    expect(told).toHaveLength(1)
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      level: 'warn',
      turn: turn.id,
      conversation: turn.conversationId,
      agent: 'writer',
      fault: 'rate_limited',
    })
    expect(one.lines.join('')).not.toContain(SECRET)
    expect(await one.metric('runtime_turns_total')).toEqual({ failed: 1 })
    expect(await one.metric('runtime_turn_duration_seconds_count')).toEqual({ failed: 1 })
    expect(await one.metric('runtime_model_errors_total')).toEqual({ rate_limited: 1 })
  })

  test('the limit of steps is no failure of the server', async () => {
    const tool = toolNamed('look', async () => ({ content: [] }))
    const one = await start({ script: () => [calls('c', 'look'), ends()], toolList: [tool] })
    const turn = await one.prompt('Look.')
    expect((await turn.result()).error).toMatchObject({ statusCode: 422 })
    expect(one.lines.filter((line) => line.includes('a turn failed'))).toHaveLength(1)
  })

  test('what was used and called is counted', async () => {
    const one = await start({
      script: ({ messages }) =>
        messages.length === 1
          ? [calls('c1', 'look'), calls('c2', 'stumble'), ends(10, 5)]
          : [says('Done.'), ends(20, 6)],
      toolList: [
        toolNamed('look', async () => ({ content: [] })),
        toolNamed('stumble', () => Promise.reject(new Error('no'))),
      ],
    })
    await (await one.prompt('Look.')).result()
    await expect.poll(() => one.metric('runtime_turns_total')).toEqual({ complete: 1 })
    expect(await one.metric('runtime_tokens_total')).toMatchObject({ prompt: 30, completion: 11 })
    expect(await one.metric('runtime_tool_calls_total')).toEqual({ ok: 1, error: 1 })
  })

  test('one that waits names the calls that nobody has decided on', async () => {
    const tool = toolNamed('erase', async () => ({ content: [] }))
    const one = await start({
      script: ({ messages }) =>
        messages.length === 1
          ? [calls('c1', 'erase', { what: 'a' }), calls('c2', 'erase', { what: 'b' }), ends()]
          : [says('Done.'), ends()],
      toolList: [tool],
    })
    const turn = await one.prompt('Erase.', undefined, 'careful')
    await turn.result()
    const pending = async () => (await one.conversations.lastTurn(turn.conversationId)).pending
    expect(await pending()).toEqual([
      { id: 'c1', name: 'erase', args: { what: 'a' } },
      { id: 'c2', name: 'erase', args: { what: 'b' } },
    ])
    const waiting = { owner: 'ada', status: 'waiting' } as const
    expect(await one.conversations.list(waiting)).toMatchObject({
      total: 1,
      conversations: [{ id: turn.conversationId }],
    })
    const decision = { owner: 'ada', conversationId: turn.conversationId, isApproved: true }
    await one.turns.decide({ ...decision, callId: 'c1' })
    expect((await pending()).map(({ id }) => id)).toEqual(['c2'])
    await (await one.turns.decide({ ...decision, callId: 'c2' }))?.result()
    expect(await pending()).toEqual([])
    expect(await one.conversations.list(waiting)).toMatchObject({ total: 0 })
  })

  test('any turn of a conversation can be found, by its owner', async () => {
    const one = await start({
      async *script({ messages, signal }) {
        yield says('Well')
        if (messages.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        yield ends()
      },
    })
    const first = await one.prompt('One.')
    const { conversationId } = first
    for await (const { frame } of first.frames()) if (frame.type === 'text') break
    await first.cancel()
    const second = await one.prompt('Two.', conversationId)
    await second.result()
    const found = await one.turns.find('ada', conversationId, first.id)
    expect(await found?.result()).toMatchObject({ status: 'cancelled', text: 'Well' })
    expect(await (await one.turns.find('ada', conversationId, second.id))?.result()).toMatchObject({
      status: 'complete',
    })
    const other = await one.prompt('Elsewhere.')
    await other.cancel()
    expect(await one.turns.find('ada', conversationId, other.id)).toBeUndefined()
    expect(await one.turns.find('ada', conversationId, 'none')).toBeUndefined()
    await expect(one.turns.find('bob', conversationId, first.id)).rejects.toThrow('There is no conversation')
  })

  test('the model is told of toolsets that are not there', async () => {
    const systems: (string | undefined)[] = []
    const one = await start({
      script: ({ system }) => {
        systems.push(system)
        return [says('Hm.'), ends()]
      },
      absentToolsets: ({ id }) => [`of-${id}`],
    })
    await (await one.prompt('Go.')).result()
    expect(systems).toEqual([
      expect.stringMatching(/^Write\.\n\nThese toolsets are not available .*: of-writer\./),
    ])
  })
})
