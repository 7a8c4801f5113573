// A scripted model that speaks OpenAI's chat completions, as a stream. `POST /release` lets the held answers go on.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { report } from '../child.ts'
import { CHUNK_GAP_MS, firstChunk, type Pace, REST } from './script.ts'

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const rest = REST.map((content) => toEvent({ choices: [toChoice({ content })] }))
const end = [
  toEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  toEvent({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('')
/** Each with the index of the next chunk. */
let apart: { readonly response: ServerResponse; next: number }[] = []
let held: ServerResponse[] = []

function toChoice(delta: object): object {
  return { index: 0, delta, finish_reason: null }
}

function toEvent(body: object): string {
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
  }
  return `data: ${JSON.stringify({ ...head, ...body })}\n\n`
}

function sendAll(response: ServerResponse): void {
  for (const piece of rest) response.write(piece)
  response.end(end)
}

setInterval(() => {
  for (const stream of apart) {
    const piece = rest[stream.next++]
    if (piece === undefined) stream.response.end(end)
    else stream.response.write(piece)
  }
  apart = apart.filter(({ next }) => next <= rest.length)
}, CHUNK_GAP_MS)

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(incoming)
  if (incoming.url === '/release') {
    held.forEach(sendAll)
    held = []
    return void response.end()
  }
  const { model, messages }: { model: Pace; messages: { content: string }[] } = JSON.parse(body)
  const content = firstChunk(messages.at(-1)?.content ?? '')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(toEvent({ choices: [toChoice({ role: 'assistant', content })] }))
  if (model === 'apart') apart.push({ response, next: 0 })
  else if (model === 'held') held.push(response)
  else sendAll(response)
}

const server = createServer((incoming, response) => {
  answer(incoming, response).catch((error: Error) => response.destroy(error))
})
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address()
  report(typeof address === 'object' && address ? address.port : 0)
})
