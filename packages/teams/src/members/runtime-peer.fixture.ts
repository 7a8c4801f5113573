import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** One turn, as whoever plays the agent sees it. */
export interface PeerTurn {
  readonly message: string
  readonly conversationId: string
  /** How many prompts the conversation has had, with this one. */
  readonly number: number
  say(text: string): void
  /** A tool is called and answers. */
  useTool(): void
  /** Stores what was said, sends the usage (10 and 5 tokens, 0.01 dollars), and ends. */
  complete(): void
  end(status: 'failed' | 'interrupted' | 'waiting', detail?: string, statusCode?: number): void
  /** Cuts the connections of all who read it. The turn goes on. */
  cutReaders(): void
  /** Sends these bytes as they are. */
  send(raw: string): void
  readonly cancelled: Promise<void>
}

export interface PeerOptions {
  readonly key?: string
  /** By default each turn completes with "Answer N." */
  readonly play?: (turn: PeerTurn) => void
  /** Before anything else; true: it has answered the request. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
}

interface PeerConversation {
  status: string
  readonly messages: object[]
  frames: string[]
  readonly readers: Set<ServerResponse>
  cancel: () => void
}

export interface RuntimePeer {
  readonly origin: string
  /** `…/api/v1/agents/`. */
  readonly agentsUrl: string
  readonly conversations: ReadonlyMap<string, PeerConversation>
  /** `METHOD path`, in order. */
  readonly requests: readonly string[]
  readonly authorizations: readonly (string | undefined)[]
  /** All prompts that arrived. */
  readonly prompts: readonly string[]
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, cost_usd: 0.01 }

/** The routes of a runtime that a client of its agents needs, over a real socket, with an agent that is played. */
export async function startRuntimePeer(options: PeerOptions = {}): Promise<RuntimePeer> {
  const { key, play = answer, intercept } = options
  const conversations = new Map<string, PeerConversation>()
  const requests: string[] = []
  const authorizations: (string | undefined)[] = []
  const prompts: string[] = []
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const origin = `http://127.0.0.1:${Object(server.address()).port}`
  return { origin, agentsUrl: `${origin}/api/v1/agents/`, conversations, requests, authorizations, prompts }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(`${request.method} ${request.url}`)
    authorizations.push(request.headers.authorization)
    if (intercept?.(request, response)) return
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return refuse(response, 401, `The token ${request.headers.authorization} is wrong.`)
    const [, id = '', action] =
      /^\/api\/v1\/conversations\/([^/]+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? []
    if (request.url?.startsWith('/api/v1/agents/')) return prompt(await bodyOf(request), response)
    const found = conversations.get(id)
    if (found === undefined) return refuse(response, 404, 'There is no such conversation.')
    if (action === 'cancel') return cancel(found, response)
    if (action === 'stream') return join(found, response)
    const { status, messages } = found
    json(response, 200, { id, agent_id: 'a', status, messages })
  }

  function prompt(body: { message: string; conversation_id: string }, response: ServerResponse): void {
    const { message, conversation_id: id } = body
    prompts.push(message)
    const fresh = {
      status: '',
      messages: [],
      frames: [],
      readers: new Set<ServerResponse>(),
      cancel: () => undefined,
    }
    const conversation: PeerConversation = conversations.get(id) ?? fresh
    if (conversation.status === 'running') {
      refuse(response, 409, 'It is still answering.')
      return
    }
    conversations.set(id, conversation)
    conversation.status = 'running'
    conversation.frames = []
    conversation.messages.push({ role: 'user', content: message, status: 'complete' })
    join(conversation, response)
    const number = conversation.messages.filter((one) => 'role' in one && one.role === 'user').length
    play(toTurn(conversation, { message, conversationId: id, number }))
  }

  function toTurn(
    conversation: PeerConversation,
    about: Pick<PeerTurn, 'message' | 'conversationId' | 'number'>,
  ): PeerTurn {
    const { messages, readers } = conversation
    const cancelled = Promise.withResolvers<void>()
    let said = ''
    conversation.cancel = () => {
      finish('cancelled')
      cancelled.resolve()
    }
    return {
      ...about,
      cancelled: cancelled.promise,
      say(text) {
        said += text
        frame({ type: 'text', content: text })
      },
      useTool() {
        messages.push({
          role: 'assistant',
          content: said,
          tool_calls: [{}],
          status: 'complete',
          usage: USAGE,
        })
        messages.push({ role: 'tool', content: 'ok', tool_call_id: 'c', result: {}, status: 'complete' })
        said = ''
        frame({ type: 'tool_call', id: 'c', name: 'look', args: {} })
        frame({ type: 'tool_result', tool_call_id: 'c', result: { content: [] } })
      },
      complete() {
        messages.push({ role: 'assistant', content: said, status: 'complete', usage: USAGE })
        finish('idle')
      },
      end(status, detail = 'It failed.', statusCode = 502) {
        if (said !== '') messages.push({ role: 'assistant', content: said, status: 'partial' })
        if (status === 'waiting') frame({ type: 'approval_request', id: 'c', name: 'rm', args: {} })
        else frame({ type: 'error', detail, status_code: statusCode })
        finish(status)
      },
      cutReaders() {
        for (const reader of readers) reader.destroy()
        readers.clear()
      },
      send(raw) {
        for (const reader of readers) reader.write(raw)
      },
    }

    function frame(value: object): void {
      const text = `id: ${conversation.frames.length}\ndata: ${JSON.stringify(value)}\n\n`
      conversation.frames.push(text)
      for (const reader of readers) reader.write(text)
    }

    function finish(status: string): void {
      conversation.status = status
      frame({ type: 'usage', ...USAGE })
      frame({ type: 'done' })
      for (const reader of readers) reader.end()
      readers.clear()
    }
  }

  function join({ status, frames, readers }: PeerConversation, response: ServerResponse): void {
    if (status !== 'running') {
      response.writeHead(204).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`: hello\n\n${frames.join('')}`)
    readers.add(response)
    response.on('close', () => readers.delete(response))
  }

  function cancel(conversation: PeerConversation, response: ServerResponse): void {
    if (conversation.status === 'running' || conversation.status === 'waiting') conversation.cancel()
    json(response, 200, { message: 'The turn is cancelled.' })
  }
}

function answer(turn: PeerTurn): void {
  turn.say(`Answer ${turn.number}.`)
  turn.complete()
}

async function bodyOf(request: IncomingMessage): Promise<{ message: string; conversation_id: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

function refuse(response: ServerResponse, status: number, detail: string): void {
  json(response, status, { detail, status_code: status })
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
