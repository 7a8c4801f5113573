import { AgentError } from '@quire/agent/agent-error'
import { StoreUnavailable } from '@quire/kit/store/errors'
import { openStore, type Store } from '@quire/kit/store/store'
import { testDatabases } from '@quire/testbed/test-databases'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAgentStore } from '../agents/create-agent-store.ts'
import { createTurns } from './create-turns.ts'
import {
  AGENT,
  allMessages,
  calls,
  ends,
  says,
  startProcess,
  type TestProcess,
  toModels,
  toolNamed,
} from './turns.fixture.ts'

const [sqlite] = testDatabases
let database: Awaited<ReturnType<typeof sqlite.createDatabase>>
let one: TestProcess

beforeAll(async () => {
  database = await sqlite.createDatabase()
  one = await startProcess(database.url)
})
afterAll(async () => {
  await one.stop()
  await database.drop()
})

/** A store whose transactions of these numbers fail, as on a full disk. */
function failing(store: Store, ...numbers: number[]): Store {
  let count = 0
  const wrapped: Store = {
    ...store,
    async transaction(work) {
      count += 1
      if (numbers.includes(count)) throw new StoreUnavailable('the disk is full')
      return store.transaction(work)
    },
    as: <Other>() => wrapped as unknown as Store<Other>, // as the store itself does it
  }
  return wrapped
}

async function startFailing(...numbers: number[]) {
  const store = await openStore(database.url)
  const turns = createTurns({
    store: failing(store, ...numbers),
    agents: createAgentStore(store),
    models: toModels(({ messages }) =>
      messages.length === 1 ? [says('I call.'), calls('c1', 'tool'), ends()] : [says('Done.'), ends()],
    ),
    tools: { toolsOf: async () => [toolNamed('tool', async () => ({ content: [] }))] },
  })
  onTestFinished(async () => {
    await turns.close(0)
    await store.close()
  })
  return turns
}

// A prompt with one call of a tool has four: its begin, the call, the result, the end.
test.each([
  [[2], 'failed', 503, ['partial']],
  [[3], 'failed', 503, ['complete', 'complete']],
  [[4], 'complete', undefined, ['complete', 'complete', 'complete']],
  [[2, 3, 4], 'failed', 503, ['partial']],
] as const)(
  'transactions %j fail: the turn is %s, and what is shown is true',
  async (numbers, status, code, answers) => {
    const turns = await startFailing(...numbers)
    const turn = await turns.prompt({ owner: 'ada', agentId: AGENT.id, message: 'go' })
    const result = await turn.result()
    expect([result.status, result.error?.statusCode]).toStrictEqual([status, code])
    const stored = await allMessages(one, turn.conversationId)
    expect(stored.slice(1).map((message) => message.status)).toStrictEqual(answers)
    expect(await one.conversations.find('ada', turn.conversationId)).toMatchObject({
      status: status === 'complete' ? 'idle' : status,
    })
  },
)

test('a prompt that cannot be stored is refused, and nothing of it is there', async () => {
  const turns = await startFailing(1)
  const request = { owner: 'ada', agentId: AGENT.id, message: 'go', conversationId: 'never' }
  await expect(turns.prompt(request)).rejects.toMatchObject({ problem: { status: 503 } })
  expect(await one.conversations.find('ada', 'never')).toBeUndefined()
  expect(await (await turns.prompt(request)).result()).toMatchObject({ status: 'complete' })
})

test('a conversation that its model finds too long is made shorter once, and the turn goes on', async () => {
  const long = 'x '.repeat(20_000)
  const two = await startProcess(database.url, {
    *script({ messages, tools }) {
      const text = JSON.stringify(messages)
      if (tools.length === 0) yield says('SUMMED UP')
      else if (text.length > 60_000) throw new AgentError('too_long', 'Too long.')
      else yield says(text.includes('SUMMED UP') ? 'short enough' : long)
      yield ends()
    },
    toolList: [toolNamed('tool', async () => ({ content: [] }))],
  })
  onTestFinished(() => two.stop())
  for (const message of ['one', 'two']) await (await two.prompt(message, 'grown')).result()
  expect(await (await two.prompt('three', 'grown')).result()).toMatchObject({
    status: 'complete',
    text: 'short enough',
  })
})
