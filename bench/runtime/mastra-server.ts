// A peer: an agent of Mastra behind Hono. It keeps nothing, which is in its favour.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { report } from '../child.ts'

/** As much of them as is used here: they are installed apart from what is ours. */
interface MastraAgent {
  stream(
    message: string,
    options: { abortSignal: AbortSignal },
  ): Promise<{ textStream: AsyncIterable<string> }>
}
interface Peers {
  readonly Agent: new (options: object) => MastraAgent
  readonly createOpenAICompatible: (options: object) => (model: string) => object
}

const require = createRequire(join(import.meta.dirname, '..', 'peers', 'package.json'))
const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
const { Agent, createOpenAICompatible }: Peers = {
  ...(await load('@mastra/core/agent')),
  ...(await load('@ai-sdk/openai-compatible')),
}

const baseURL = process.env.OPENAI_COMPATIBLE_BASE_URL ?? ''
const provider = createOpenAICompatible({ name: 'scripted', baseURL, includeUsage: true })
const agents = new Map<string, MastraAgent>()

function agentOf(model: string): MastraAgent {
  const agent =
    agents.get(model) ??
    new Agent({ id: model, name: model, instructions: 'Answer.', model: provider(model) })
  agents.set(model, agent)
  return agent
}

async function* events(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const delta of text) yield `data: ${JSON.stringify({ delta })}\n\n`
  yield 'data: [DONE]\n\n'
}

const app = new Hono().post('/prompt', async (c) => {
  const { model, message } = await c.req.json<{ model: string; message: string }>()
  const { textStream } = await agentOf(model).stream(message, { abortSignal: c.req.raw.signal })
  const body = ReadableStream.from(events(textStream)).pipeThrough(new TextEncoderStream())
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => report(port))
