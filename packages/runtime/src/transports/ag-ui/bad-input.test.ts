import { afterAll, expect, test } from 'vitest'
import { post, READER, startTransports } from '../transports.fixture.ts'
import { input } from './ag-ui.fixture.ts'

const served = await startTransports()
afterAll(served.close)

const entry = { interruptId: 'c1', status: 'resolved', payload: { approved: true } }

test.each([
  ['no JSON', '{', 400],
  ['a list', [], 422],
  ['null', 'null', 422],
  ['no thread', { ...input('x'), threadId: undefined }, 422],
  ['a thread that is a path', input('../x'), 422],
  ['a thread of dots', input('..'), 422],
  ['a thread too long', input('x'.repeat(129)), 422],
  ['a number for a thread', { ...input('x'), threadId: 7 }, 422],
  ['no run', { ...input('x'), runId: undefined }, 422],
  ['no messages', { ...input('x'), messages: undefined }, 422],
  ['not one message', { ...input('x'), messages: [] }, 422],
  ['messages that are none', { ...input('x'), messages: ['hello', null] }, 422],
  [
    'the last word to the agent',
    { ...input('x'), messages: [...input('x').messages, { role: 'assistant' }] },
    422,
  ],
  [
    'the answer of a client tool',
    { ...input('x'), messages: [...input('x').messages, { role: 'tool' }] },
    422,
  ],
  ['an empty prompt', { ...input('x'), messages: [{ role: 'user', content: '' }] }, 422],
  ['a NUL in the prompt', { ...input('x'), messages: [{ role: 'user', content: 'a\0b' }] }, 422],
  ['a number for a prompt', { ...input('x'), messages: [{ role: 'user', content: 7 }] }, 422],
  [
    'a picture',
    { ...input('x'), messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] },
    422,
  ],
  ['tools of the client', { ...input('x'), tools: [{ name: 't', description: '' }] }, 422],
  ['context that is none', { ...input('x'), context: [{}] }, 422],
  ['a resume that is none', { ...input('x'), resume: [{}] }, 422],
  ['an answer without approval', { ...input('x'), resume: [{ ...entry, payload: { yes: 1 } }] }, 422],
  [
    'a NUL in a reason',
    { ...input('x'), resume: [{ ...entry, payload: { approved: false, reason: '\0' } }] },
    422,
  ],
  ['an answer given twice', { ...input('x'), resume: [entry, entry] }, 422],
  ['an answer to nothing', { ...input('ag-none'), resume: [entry] }, 404],
])('%s is refused', async (_name, body, status) => {
  const response = await served.call('/ag-ui/guide', post(body))
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ status_code: status, detail: expect.any(String) })
})

test('an agent that does not exist, a missing key and a key that may not prompt', async () => {
  expect((await served.call('/ag-ui/nobody', post(input('x')))).status).toBe(404)
  expect((await served.call('/ag-ui/guide', { ...post(input('x')), as: null })).status).toBe(401)
  expect((await served.call('/ag-ui/guide', { ...post(input('x')), as: READER })).status).toBe(403)
})
