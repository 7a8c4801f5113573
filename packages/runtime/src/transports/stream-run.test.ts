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
  const ended = await Promise.all(bodies)
  expect(ended.join('')).not.toMatch(/RUN_FINISHED|statusUpdate/)
  const last = ended.map((body) => body.match(/^data: .*key is no longer valid.*$/m)?.[0] ?? body)
  expect(last[0]).toContain('"type":"RUN_ERROR"')
  expect(last[0]).toContain('"code":"401"')
  expect(last[1]).toContain('"type":"error"')
  expect(ended[1]).toMatch(/data: \[DONE\]\n\n$/)
  expect(last[2]).toContain('"error":{"code":')
  for (const id of ['s-1', 's-2', 's-3']) expect(scripted.statusOf(id)).toBe('running')
  held.open()
})

test('lists have addresses that the world can use', async () => {
  for (const name of ['ag-ui', 'vercel-ai', 'a2a']) {
    const { endpoints } = (await (await served.call(`/${name}`)).json()) as { endpoints: object }
    for (const address of Object.values(endpoints))
      expect(address).toMatch(/^https:\/\/example\.org\/runtime\/api\/v1\//)
    const { agents } = (await (await served.call(`/${name}/agents`)).json()) as {
      agents: { endpoint: string }[]
    }
    for (const { endpoint } of agents) expect(endpoint).toMatch(/^https:\/\/example\.org\/runtime\/api\/v1\//)
  }
  expect(await (await served.call('/a2a/agents')).json()).toMatchObject({
    agents: [
      { card_url: 'https://example.org/runtime/api/v1/a2a/agents/guide/.well-known/agent-card.json' },
      { id: 'other' },
    ],
  })
})

test('the card of an agent has the address that the world sees', async () => {
  const card = await served.call('/a2a/agents/guide/.well-known/agent-card.json')
  expect(await card.json()).toMatchObject({
    supportedInterfaces: [{ url: 'https://example.org/runtime/api/v1/a2a/agents/guide' }],
  })
})
