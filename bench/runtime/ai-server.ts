// The peer: `ai` behind Hono, as its documentation shows it. It keeps nothing, which is in its favour.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { serve } from '@hono/node-server'
import { streamText } from 'ai'
import { Hono } from 'hono'
import { report } from '../child.ts'

const provider = createOpenAICompatible({
  name: 'scripted',
  baseURL: process.env.OPENAI_COMPATIBLE_BASE_URL ?? '',
  includeUsage: true,
})

const app = new Hono().post('/prompt', async (c) => {
  const { model, message } = await c.req.json<{ model: string; message: string }>()
  const result = streamText({ model: provider(model), prompt: message, abortSignal: c.req.raw.signal })
  return result.toUIMessageStreamResponse()
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => report(port))
