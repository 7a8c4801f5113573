import { afterAll, expect, test } from 'vitest'
import { input } from './ag-ui/ag-ui.fixture.ts'
import { gate, post, startTransports, text } from './transports.fixture.ts'
import { request } from './vercel-ai/vercel-ai.fixture.ts'

const leave = new AbortController()
const served = await startTransports({
  streamEnd: () => leave.signal,
  publicUrl: 'https://example.org/runtime/',
})
const { scripted } = served
afterAll(served.close)

test('streams end for those who may no longer stay, and their turns go on', async () => {
  const held = gate()
  scripted.play(
    { acts: [text('a'), held.wait] },
    { acts: [text('a'), held.wait] },
    { acts: [text('a'), held.wait] },
  )
  const said = {
    message: { messageId: 'm', role: 'ROLE_USER', contextId: 's-3', parts: [{ text: 'hello' }] },
  }
  const rpc = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: said }
  const responses = await Promise.all([
    served.call('/ag-ui/guide', post(input('s-1'))),
    served.call('/vercel-ai/guide', post(request('s-2'))),
    served.call('/a2a/agents/guide', post(rpc, { 'a2a-version': '1.0' })),
  ])
  expect(responses.map(({ headers }) => headers.get('x-conversation-id'))).toEqual(['s-1', 's-2', 's-3'])
  const bodies = responses.map((response) => response.text())
  await expect.poll(() => served.sse.size()).toBe(3)
  leave.abort()
  expect((await Promise.all(bodies)).join('')).not.toMatch(/RUN_FINISHED|\[DONE\]|statusUpdate/)
  for (const id of ['s-1', 's-2', 's-3']) expect(scripted.statusOf(id)).toBe('running')
  held.open()
})

test('the card of an agent has the address that the world sees', async () => {
  const card = await served.call('/a2a/agents/guide/.well-known/agent-card.json')
  expect(await card.json()).toMatchObject({
    supportedInterfaces: [{ url: 'https://example.org/runtime/api/v1/a2a/agents/guide' }],
  })
})
