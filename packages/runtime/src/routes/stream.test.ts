import { connect } from 'node:net'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Frame } from '../turns/frame.ts'
import { OTHER, startApi, TOKEN, tokenFor } from './api.fixture.ts'
import { NO_TURN, type ScriptedTurn } from './scripted-turns.fixture.ts'

const api = await startApi({ heartbeatMs: 30 })
const sockets: RawStream[] = []
afterAll(async () => {
  for (const { leave } of sockets) leave()
  await api.close()
})

let turn: ScriptedTurn
beforeEach(() => {
  api.script.onPrompt = (begun) => {
    turn = begun
  }
})

const CALL: Frame = { type: 'tool_call', id: 'c1', name: 'files__read', args: { path: 'a' } }
const RESULT: Frame = {
  type: 'tool_result',
  tool_call_id: 'c1',
  result: { content: [{ type: 'text', text: 'line\nline\r\nline\r' }] },
}
const USAGE: Frame = { type: 'usage', prompt_tokens: 3, completion_tokens: 2 }
const DONE: Frame = { type: 'done' }

describe('a streamed prompt, byte by byte', () => {
  test('is one data line a frame, with its place, until it is done', async () => {
    verifies(
      'RT-PROMPT-1',
      'RT-PROMPT-5',
      'RT-FRAME-1',
      'RT-FRAME-2',
      'RT-FRAME-3',
      'RT-FRAME-4',
      'RT-FRAME-5',
      'RT-FRAME-6',
      'RT-FRAME-7',
      'RT-FRAME-8',
    )
    const stream = prompt({ message: 'hi', conversation_id: 'wire' })
    await stream.has('\r\n\r\n')
    expect(stream.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(stream.text()).toMatch(/\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/i)
    expect(stream.text()).toMatch(/\r\nx-conversation-id: wire\r\n/i)
    expect(stream.text()).toMatch(/\r\ncache-control: no-cache, no-transform\r\n/i)
    turn.send({ type: 'text', content: 'Hello' })
    await stream.has(`id: ${turn.id}.1.0\ndata: {"type":"text","content":"Hello"}\n\n`)
    turn.send(CALL, RESULT, USAGE, DONE)
    turn.end()
    await stream.ended
    expect(stream.events()).toEqual([
      [`${turn.id}.1.0`, { type: 'text', content: 'Hello' }],
      [`${turn.id}.2.0`, CALL],
      [`${turn.id}.3.0`, RESULT],
      [`${turn.id}.4.0`, USAGE],
      [`${turn.id}.5.0`, DONE],
    ])
    expect(stream.text()).not.toMatch(/^event:/m)
  })

  test('says that it is alive while nothing comes', async () => {
    const stream = prompt({ message: 'hi' })
    await stream.has(': keep-alive\n\n')
    turn.end()
    await stream.ended
  })

  test('ends with its key, and the turn goes on', async () => {
    const token = tokenFor('agents:prompt')
    const stream = prompt({ message: 'hi', conversation_id: 'revoked' }, token)
    await stream.has('\r\n\r\n')
    await vi.waitUntil(() => api.sse.size() > 0, 30_000)
    api.revoke(token)
    await stream.ended
    expect(stream.events().map(([, frame]) => frame)).toMatchObject([
      { type: 'error', status_code: 401, detail: expect.stringContaining('key is no longer valid') },
      { type: 'done' },
    ])
    expect(turn.isCancelled()).toBe(false)
    turn.end()
  })
})

test('one caller reads so many streams at a time, and no prompt is begun for another', async () => {
  const few = await startApi({ mostReaders: 2 })
  try {
    few.script.onPrompt = () => undefined
    const gone = new AbortController()
    const ask = (path: string, token = TOKEN) =>
      fetch(`${few.url}/api/v1/${path}`, {
        method: path.endsWith('/stream') ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(!path.endsWith('/stream') && { body: '{"message": "hi"}' }),
        signal: gone.signal,
      })
    for (const size of [1, 2]) {
      await ask('agents/guide/prompt')
      await vi.waitUntil(() => few.sse.size() === size, 30_000)
    }
    for (const path of [
      'agents/guide/prompt',
      'conversations/conversation-1/stream',
      'mcp-ui/stream/guide',
    ]) {
      const answer = await ask(path)
      expect(answer.status).toBe(429)
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await answer.json()).toMatchObject({
        detail: expect.stringContaining('You read 2 streams already'),
      })
    }
    expect(few.prompts).toHaveLength(2)
    expect((await ask('agents/guide/prompt', OTHER)).status).toBe(200)
    gone.abort()
  } finally {
    await few.close()
  }
})

describe('a client that goes away', () => {
  test('does not stop the turn', async () => {
    const stream = prompt({ message: 'hi', conversation_id: 'left' })
    await stream.has(': keep-alive')
    stream.leave()
    await vi.waitUntil(() => api.sse.size() === 0, 30_000)
    expect(turn.isCancelled()).toBe(false)
    turn.end()
  })

  test.each(['prompt', 'prompt/sync'])('stops the turn of %s where it said so', async (kind) => {
    verifies('RT-PROMPT-12')
    const before = api.prompts.length
    const stream = prompt({ message: 'hi', on_disconnect: 'cancel' }, TOKEN, kind)
    await vi.waitUntil(() => api.prompts.length > before, 30_000)
    await vi.waitUntil(() => kind === 'prompt/sync' || stream.text().includes('\r\n\r\n'), 30_000)
    expect(turn.isCancelled()).toBe(false)
    stream.leave()
    await vi.waitUntil(() => turn.isCancelled(), 30_000)
  })

  test('that stays until the end cancels nothing', async () => {
    const stream = prompt({ message: 'hi', on_disconnect: 'cancel' })
    await stream.has('\r\n\r\n')
    turn.send(DONE)
    turn.end()
    await stream.ended
    expect(turn.isCancelled()).toBe(false)
  })
})

describe('joining again', () => {
  test('shows what a turn waits for to whoever names no frame, and to others what they have missed', async () => {
    const stream = prompt({ message: 'hi', conversation_id: 'asks' })
    await stream.has('\r\n\r\n')
    const request: Frame = { type: 'approval_request', id: 'c1', name: 'rm', args: {} }
    turn.send(request, DONE)
    turn.end({ ...NO_TURN, status: 'waiting' })
    await stream.ended
    const again = join('asks')
    await again.ended
    expect(again.events().map(([, frame]) => frame)).toEqual([request, DONE])
    const missed = join('asks', `${turn.id}.1.0`)
    await missed.ended
    expect(missed.events().map(([, frame]) => frame)).toEqual([DONE])
    const nothing = join('asks', `${turn.id}.2.0`)
    await nothing.ended
    expect(nothing.text()).toMatch(/^HTTP\/1\.1 204 /)
  })

  async function begin(conversation: string): Promise<void> {
    const stream = prompt({ message: 'hi', conversation_id: conversation })
    await stream.has('\r\n\r\n')
    turn.send({ type: 'text', content: 'one ' }, { type: 'text', content: 'two ' })
    await stream.has('two ')
    stream.leave()
  }

  test('sends what followed the frame that was named, and then goes on', async () => {
    verifies('RT-PROMPT-14')
    await begin('again')
    const rest = join('again', `${turn.id}.1.0`)
    await rest.has('two ')
    turn.send({ type: 'text', content: 'three' }, DONE)
    turn.end()
    await rest.ended
    expect(rest.events().map(([id]) => id)).toEqual([2, 3, 4].map((slot) => `${turn.id}.${slot}.0`))
  })

  test.each([
    ['nothing', undefined],
    ['nonsense', 'nonsense'],
    ['another turn', 'turn-0.1.0'],
    ['a path', '../../etc.1.1'],
    ['a long text', 'x'.repeat(2_000)],
  ])('sends all of a turn that is under way where %s was named', async (_what, place) => {
    verifies('RT-PROMPT-14')
    await begin('whole')
    const rest = join('whole', place)
    await rest.has('two ')
    turn.end()
    await rest.ended
    expect(rest.events()).toHaveLength(2)
  })

  test('of a turn that is over sends what was missed, and 204 when nothing was', async () => {
    await begin('over')
    turn.send(DONE)
    turn.end()
    const rest = join('over', `${turn.id}.2.0`)
    await rest.ended
    expect(rest.events()).toEqual([[`${turn.id}.3.0`, DONE]])
    for (const place of [`${turn.id}.3.0`, undefined]) {
      const nothing = join('over', place)
      await nothing.has('\r\n\r\n')
      expect(nothing.text()).toMatch(/^HTTP\/1\.1 204 /)
    }
  })

  test('of a conversation without a turn is 204', async () => {
    await begin('empty')
    turn.end()
    api.turns.delete('empty')
    expect((await api.call('GET', '/api/v1/conversations/empty/stream')).status).toBe(204)
  })
})

test('a source that breaks is told of, in a frame', async () => {
  verifies('RT-FRAME-10')
  api.script.onPrompt = (begun) => {
    turn = Object.assign(begun, {
      // biome-ignore lint/correctness/useYield: it fails before it has anything
      async *frames() {
        throw new Error('the disk is gone')
      },
    })
  }
  const stream = prompt({ message: 'hi' })
  await stream.ended
  const frames = stream.events().map(([, frame]) => frame)
  expect(frames).toEqual([{ type: 'error', detail: expect.any(String), status_code: 500 }, { type: 'done' }])
  expect(stream.text()).not.toContain('disk')
})

interface RawStream {
  text(): string
  has(part: string): Promise<void>
  events(): readonly (readonly [string | undefined, unknown])[]
  readonly ended: Promise<void>
  leave(): void
}

function prompt(body: object, token = TOKEN, kind = 'prompt'): RawStream {
  const text = JSON.stringify(body)
  return open(
    `POST /api/v1/agents/guide/${kind} HTTP/1.1`,
    token,
    ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`],
    text,
  )
}

function join(conversation: string, lastEventId?: string): RawStream {
  const headers = lastEventId === undefined ? [] : [`Last-Event-ID: ${lastEventId}`]
  return open(`GET /api/v1/conversations/${conversation}/stream HTTP/1.1`, TOKEN, headers)
}

function open(line: string, token: string, headers: readonly string[], body = ''): RawStream {
  const socket = connect({ port: api.port, host: '127.0.0.1' })
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('close', () => resolve()).on('error', reject)
  })
  ended.catch(() => undefined)
  const head = [line, 'Host: localhost', 'Connection: close', `Authorization: Bearer ${token}`, ...headers]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const stream: RawStream = {
    text: () => received,
    has: (part) => vi.waitUntil(() => received.includes(part), { timeout: 30_000 }).then(() => undefined),
    events: () =>
      [...received.matchAll(/(?:id: ([^\n]*)\n)?data: (.*)\n\n/g)].map(([, id, data = '']) => [
        id,
        JSON.parse(data),
      ]),
    ended,
    leave: () => socket.destroy(),
  }
  sockets.push(stream)
  return stream
}
