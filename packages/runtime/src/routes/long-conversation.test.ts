import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Conversation } from '../conversation-contract.ts'
import { startRuntime } from '../runtime.fixture.ts'

const MESSAGE = 'ü'.repeat(200_000)
const TURNS = 6
let service: Awaited<ReturnType<typeof startRuntime>>
beforeAll(async () => {
  service = await startRuntime()
  for (let count = 0; count < TURNS; count += 1) await prompt(`${count}${MESSAGE}`)
})
afterAll(() => service.close())

async function prompt(message: string) {
  const body = { message, conversation_id: 'long' }
  expect((await service.ask('POST', '/api/v1/agents/guide/prompt/sync', { body })).status).toBe(200)
}
const read = () => service.ask('GET', '/api/v1/conversations/long')

test('a long conversation comes whole, and is written as it is read', async () => {
  const answer = await read()
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('content-length')).toBeNull()
  const whole = Conversation.parse(await answer.json())
  expect(whole).toMatchObject({ id: 'long', agent_id: 'guide', status: 'idle', pending_approvals: [] })
  const asked = whole.messages.filter(({ role }) => role === 'user')
  expect(asked.map(({ content }) => content)).toEqual(
    Array.from({ length: TURNS }, (_, count) => `${count}${MESSAGE}`),
  )
  expect(whole.messages).toHaveLength(2 * TURNS)
})

test('so many are read at once by one caller; who leaves makes room', async () => {
  // More than what is on its way between two ends of a connection.
  const message = JSON.stringify({ role: 'user', text: 'x'.repeat(4_000_000) })
  await sql`update runtime_message set message = ${message} where number % 2 = 1`.execute(service.store.db)
  const answers = await Promise.all(Array.from({ length: 18 }, read))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(2)
  expect(refused[0]?.headers.get('retry-after')).toBe('5')
  for (const { body } of answers) await body?.cancel()
  await expect.poll(async () => (await read()).status).toBe(200)
})
