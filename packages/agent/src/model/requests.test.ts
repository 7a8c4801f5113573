import { describe, expect, test } from 'vitest'
import type { Message } from '../message.ts'
import { ask, collect, openAt, startPeer, TOOLS } from './models.fixture.ts'

describe('a conversation with calls, as it is sent', () => {
  const messages: readonly Message[] = [
    { role: 'user', text: 'Draw.' },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Hm.', metadata: { anthropic: { signature: 'sig-1' } } },
        { type: 'text', text: 'At once.' },
        { type: 'tool_call', id: 'c1', name: 'draw', args: { of: 'a cat' } },
        { type: 'tool_call', id: 'c2', name: 'draw', args: {} },
      ],
    },
    {
      role: 'tool',
      callId: 'c1',
      name: 'draw',
      result: {
        content: [
          { type: 'text', text: 'Here' },
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        ],
      },
    },
    {
      role: 'tool',
      callId: 'c2',
      name: 'draw',
      result: { content: [{ type: 'text', text: 'no ink' }], isError: true },
    },
    { role: 'user', text: 'Thanks' },
  ]
  const request = ask({ system: 'Be brief.', messages, tools: TOOLS })

  async function bodyFor(id: string): Promise<Record<string, unknown>> {
    const peer = await startPeer([{ acts: [{ text: 'Bye' }] }])
    await collect((await openAt(peer, id)).stream(request))
    return Object(peer.requests[0]?.body)
  }

  test('to Anthropic', async () => {
    const body = await bodyFor('anthropic:claude-sonnet-4-5')
    expect(body).toMatchObject({ model: 'claude-sonnet-4-5', stream: true })
    expect(body.system).toStrictEqual([{ type: 'text', text: 'Be brief.' }])
    expect(body.tools).toMatchObject([
      { name: 'add', description: 'Adds.', input_schema: TOOLS[0]?.inputSchema },
    ])
    expect(body.messages).toStrictEqual([
      { role: 'user', content: [{ type: 'text', text: 'Draw.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig-1' },
          { type: 'text', text: 'At once.' },
          { type: 'tool_use', id: 'c1', name: 'draw', input: { of: 'a cat' } },
          { type: 'tool_use', id: 'c2', name: 'draw', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: [
              { type: 'text', text: 'Here' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'c2', content: 'no ink', is_error: true },
          { type: 'text', text: 'Thanks' },
        ],
      },
    ])
  })

  test('to OpenAI, which keeps nothing of it', async () => {
    const body = await bodyFor('openai:gpt-5.4')
    expect(body).toMatchObject({ model: 'gpt-5.4', stream: true, store: false })
    expect(body.tools).toMatchObject([
      { type: 'function', name: 'add', parameters: TOOLS[0]?.inputSchema, strict: false },
    ])
    expect(body.input).toStrictEqual([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Draw.' }] },
      { role: 'assistant', content: 'At once.' },
      { type: 'function_call', call_id: 'c1', name: 'draw', arguments: '{"of":"a cat"}' },
      { type: 'function_call', call_id: 'c2', name: 'draw', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'Here' },
          { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
        ],
      },
      { type: 'function_call_output', call_id: 'c2', output: '{"error":"no ink"}' },
      { role: 'user', content: [{ type: 'input_text', text: 'Thanks' }] },
    ])
  })

  test('to a compatible server, which takes no images there', async () => {
    const body = await bodyFor('openai-compatible:m')
    expect(body).toMatchObject({ model: 'm', stream: true, stream_options: { include_usage: true } })
    expect(body.tools).toStrictEqual([
      {
        type: 'function',
        function: { name: 'add', description: 'Adds.', parameters: TOOLS[0]?.inputSchema },
      },
    ])
    expect(body.messages).toStrictEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Draw.' },
      {
        role: 'assistant',
        content: 'At once.',
        reasoning_content: 'Hm.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'draw', arguments: '{"of":"a cat"}' } },
          { id: 'c2', type: 'function', function: { name: 'draw', arguments: '{}' } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: 'Here\n[image of type image/png, not shown to this model]',
      },
      { role: 'tool', tool_call_id: 'c2', content: 'no ink' },
      { role: 'user', content: 'Thanks' },
    ])
  })

  test('what OpenAI sealed of a thought goes back to it', async () => {
    const peer = await startPeer({ acts: [{ thought: 'Hm.' }, { text: 'Yes.' }] })
    const model = await openAt(peer, 'openai:gpt-5.4')
    const events = await collect(model.stream(ask()))
    const end = events.find((event) => event.type === 'part_end' && event.part === 'reasoning')
    if (end?.type !== 'part_end' || end.metadata === undefined)
      throw new Error('The thought has no metadata.')
    const parts = [{ type: 'reasoning', text: 'Hm.', metadata: end.metadata } as const]
    await collect(
      model.stream(
        ask({
          messages: [
            { role: 'assistant', parts },
            { role: 'user', text: 'Why?' },
          ],
        }),
      ),
    )
    expect(Object(peer.requests[1]?.body).input[0]).toMatchObject({
      type: 'reasoning',
      encrypted_content: 'sealed-item_0',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
    })
  })
})
