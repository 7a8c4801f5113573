// The floor: a bare Hono route that answers with a stream which stays open and says nothing more.
import { serve } from '@quire/kit/serve/serve'
import { Hono } from 'hono'
import { report } from '../child.ts'

const app = new Hono().get('/events', () => {
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': hello\n\n')),
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
})
const { port } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
report(port)
