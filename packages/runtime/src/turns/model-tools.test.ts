import { runAgent } from '@quire/agent/run-agent'
import type { Tool } from '@quire/agent/tool'
import { appProgram } from '@quire/mcp/fixtures/app-server'
import { openToolsets } from '@quire/mcp/fixtures/open-toolsets'
import { createModelTools } from '@quire/mcp/toolsets/model-tools'
import { expect, onTestFinished, test } from 'vitest'
import { calls, ends, says, toModels } from './turns.fixture.ts'

const { signal } = new AbortController()

test('tools of toolsets are tools of agents, and the key of a call reaches the server', async () => {
  const opened = openToolsets({ app: appProgram() })
  onTestFinished(opened.toolsets.close)
  const tools: readonly Tool[] = await createModelTools(opened.toolsets, opened).toolsOf(
    { names: ['app'] },
    signal,
  )
  const model = await toModels(({ messages }) =>
    messages.length === 1 ? [calls('c1', 'app__meta'), ends()] : [says('I see.'), ends()],
  ).open('scripted:model')
  const { reason, messages } = await runAgent({}, [{ role: 'user', text: 'Go.' }], {
    model,
    tools,
    signal,
    idempotencyKeyOf: (callId) => `task-7.${callId}`,
  }).result()
  expect(reason).toBe('end')
  expect(messages[1]).toMatchObject({
    role: 'tool',
    result: { structuredContent: { meta: { 'quire/idempotency-key': 'task-7.c1' } } },
  })
})
