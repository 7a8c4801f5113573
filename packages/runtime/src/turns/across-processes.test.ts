import { setTimeout as delay } from 'node:timers/promises'
import type { ModelEvent } from '@quire/agent/model'
import { verifies } from '@quire/spec/verifies'
import { testDatabases } from '@quire/testbed/test-databases'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PlacedFrame } from './frame.ts'
import {
  allMessages,
  calls,
  collect,
  createRandom,
  ends,
  merge,
  type Script,
  says,
  startProcess,
  type TestProcess,
  toolNamed,
} from './turns.fixture.ts'
import type { Turn } from './turns.ts'

const LEASE_MS = 900

describe.each(testDatabases)('turns of two processes on $kind', ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let one: TestProcess
  let two: TestProcess
  let script: Script

  beforeAll(async () => {
    database = await createDatabase()
    one = await start()
    two = await start()
  })
  afterAll(async () => {
    await Promise.all([one.stop(), two.stop()])
    await database.drop()
  })

  const start = () =>
    startProcess(database.url, {
      script: (request) => script(request),
      leaseMs: LEASE_MS,
      toolList: [
        toolNamed('echo', async (args) => {
          await delay(Number(args.ms))
          return { content: [{ type: 'text', text: String(args.text) }] }
        }),
      ],
    })

  async function joinOn(process: TestProcess, conversationId: string): Promise<Turn> {
    const turn = await process.turns.join('ada', conversationId)
    if (turn === undefined) throw new Error(`${conversationId} has no turn`)
    return turn
  }

  test('a conversation begun on one is continued on the other', async () => {
    script = ({ messages }) => [says(`I see ${messages.length}.`), ends()]
    const { conversationId, result } = await one.prompt('first')
    await result()
    expect(await (await two.prompt('second', conversationId)).result()).toMatchObject({ text: 'I see 3.' })
    expect(await allMessages(one, conversationId)).toHaveLength(4)
  })

  test('whoever joins, wherever and whenever, gets every character once', async () => {
    const seed = Math.floor(Math.random() * 1e9)
    script = (request) => randomStep(seed, request.messages)
    const turns = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 ? one : two).prompt(`${index}`)),
    )
    const readings = turns.flatMap((turn, index) =>
      [1, 2].map(async (reader) => {
        const random = createRandom(seed + index * 100 + reader)
        const seen: PlacedFrame[] = []
        for (;;) {
          const joined = await joinOn(random() < 0.5 ? one : two, turn.conversationId)
          const leaving = new AbortController()
          const wanted = 1 + Math.floor(random() * 12)
          let count = 0
          for await (const frame of joined.frames({ after: seen.at(-1)?.id, signal: leaving.signal })) {
            seen.push(frame)
            count += 1
            if (count === wanted) leaving.abort()
          }
          if (seen.at(-1)?.frame.type === 'done') break
        }
        const whole = merge(await collect(await joinOn(one, turn.conversationId)))
        expect(merge(seen), `seed ${seed}, turn ${index}, reader ${reader}`).toStrictEqual(whole)
        expect(merge(await collect(turn))).toStrictEqual(whole)
      }),
    )
    await Promise.all(readings)
  })

  test('shows on the other what was said so far, and cancels there', async () => {
    script = async function* ({ signal }) {
      for (let word = 0; ; word++) {
        yield says(`word ${word} `)
        await delay(20, undefined, { signal })
      }
    }
    const turn = await one.prompt('talk')
    const joined = await joinOn(two, turn.conversationId)
    for await (const { frame } of joined.frames()) if (frame.type === 'text') break
    expect(await two.turns.cancel('ada', turn.conversationId)).toBe('cancelled')
    expect(await turn.result()).toMatchObject({ status: 'cancelled' })
    expect(await joined.result()).toStrictEqual(await turn.result())
    const stored = await allMessages(two, turn.conversationId)
    expect(stored.map(({ status }) => status)).toStrictEqual(['complete', 'partial'])
    expect(merge(await collect(joined))).toStrictEqual(merge(await collect(turn)))
  })

  test('removes on the other a conversation whose turn runs, with all it holds', async () => {
    script = async function* ({ signal }) {
      yield says('busy')
      await delay(60_000, undefined, { signal })
    }
    const turn = await one.prompt('work')
    expect(await two.conversations.remove('ada', turn.conversationId)).toBe(true)
    expect(await one.conversations.find('ada', turn.conversationId)).toBeUndefined()
    for (const table of ['runtime_message', 'runtime_turn'])
      expect(
        (
          await sql`select 1 from ${sql.ref(table)} where conversation_id = ${turn.conversationId}`.execute(
            one.store.db,
          )
        ).rows,
      ).toStrictEqual([])
    expect((await collect(turn)).at(-1)?.frame).toStrictEqual({ type: 'done' })
  })

  test.each([
    ['what was written down of its answer', 'bef', 1],
    ['nothing', '', 1],
    ['nothing, by a clock that was put back,', '', Date.now() + 3_600_000],
  ])(
    'a process that was away for too long writes no more; %s is left of its turn',
    async (_, kept, leaseUntil) => {
      verifies('RT-CONV-13')
      const release = Promise.withResolvers<void>()
      const tried = vi.fn<() => void>()
      script = async function* () {
        yield says('before')
        await release.promise
        yield says(' and after')
        tried()
        yield ends()
      }
      const turn = await one.prompt('pause')
      const partial = kept === '' ? null : JSON.stringify(kept)
      await sql`
      update runtime_turn set lease_until = ${leaseUntil}, partial = ${partial}, partial_number = 2 where id = ${turn.id}
    `.execute(two.store.db)
      const { conversationId } = turn
      expect(await two.conversations.find('ada', conversationId)).toMatchObject({ status: 'interrupted' })
      await two.turns.interruptExpired()
      release.resolve()
      await vi.waitFor(() => expect(tried).toHaveBeenCalled(), 30_000)
      expect(await turn.result()).toMatchObject({
        status: 'interrupted',
        text: kept,
        error: { statusCode: 503 },
      })
      expect(merge(await collect(turn))).toMatchObject([
        ...(kept === '' ? [] : [{ type: 'text', content: kept }]),
        { type: 'usage' },
        { type: 'error', status_code: 503 },
        { type: 'done' },
      ])
      const stored = await allMessages(two, conversationId)
      expect(stored.map(({ status }) => status)).toStrictEqual(
        kept === '' ? ['complete'] : ['complete', 'partial'],
      )
      script = () => [says('on'), ends()]
      expect(await (await two.prompt('go on', conversationId)).result()).toMatchObject({ text: 'on' })
    },
  )

  test('what a dead process left is interrupted, its calls are answered, and the conversation goes on', async () => {
    verifies('RT-CONV-13')
    const dead = await startProcess(database.url, {
      leaseMs: LEASE_MS,
      script: () => [says('I call.'), calls('c1', 'hang'), ends()],
      toolList: [toolNamed('hang', () => new Promise(() => undefined))],
    })
    onTestFinished(() => dead.stop())
    const turn = await dead.prompt('call')
    await vi.waitFor(async () => expect(await allMessages(one, turn.conversationId)).toHaveLength(2), 30_000)
    // As it stands a while after the end of a process.
    await sql`update runtime_turn set lease_until = 1, runner = 'gone' where id = ${turn.id}`.execute(
      one.store.db,
    )
    const joined = await joinOn(one, turn.conversationId)
    expect(await joined.result()).toMatchObject({ status: 'interrupted', text: 'I call.' })
    script = ({ messages }) => [says(JSON.stringify(messages[2])), ends()]
    const next = await two.prompt('and?', turn.conversationId)
    expect((await next.result()).text).toContain('It is not known whether this call ran')
  })
})

async function* randomStep(
  seed: number,
  messages: Parameters<Script>[0]['messages'],
): AsyncGenerator<ModelEvent> {
  const [user] = messages
  const random = createRandom(seed + messages.length * 7 + Number(user?.role === 'user' ? user.text : 0) * 31)
  const pick = (count: number) => Math.floor(random() * count)
  const words = () =>
    Array.from({ length: pick(9) }, () => ['a', 'wörd', '🙂', '\0', 'line\n'][pick(5)]).join('')
  for (let count = pick(20); count > 0; count--) {
    yield says(words())
    if (pick(2) === 0) await delay(pick(60))
  }
  const isLast = messages.length > 6 || pick(3) === 0
  for (let call = isLast ? 0 : 1 + pick(3); call > 0; call--)
    yield calls(`${messages.length}-${call}`, 'echo', { text: words(), ms: pick(30) })
  yield says('.')
  yield ends()
}
