import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { CommandFailure } from '../../command-failure.ts'
import { followEvents } from './follow-events.ts'
import { createTeamsClient } from './teams-client.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function frame(seq: number): string {
  const event = { event_type: 'task_created', team_id: 't', timestamp: '2026-01-01T00:00:00Z', seq, data: {} }
  return `id: ${seq}\nevent: task_created\ndata: ${JSON.stringify(event)}\n\n`
}

async function follow(url: string, until: number): Promise<{ seqs: number[]; losses: string[] }> {
  const seqs: number[] = []
  const losses: string[] = []
  const options = {
    teamId: 't',
    after: 0,
    signal: AbortSignal.timeout(30_000),
    onLost: (reason: string) => void losses.push(reason),
  }
  for await (const { seq } of followEvents(createTeamsClient({ url, key: 'canary-key' }), options)) {
    seqs.push(seq)
    if (seq >= until) break
  }
  return { seqs, losses }
}

test('a stream that breaks, ends, repeats or is refused for a while is gone on with, without gap or repetition', async () => {
  const asked: (string | undefined)[] = []
  const url = await serve((request, response) => {
    asked.push(String(request.headers['last-event-id']))
    const begin = () => response.writeHead(200, { 'content-type': 'text/event-stream' })
    // Broken in the middle of an event.
    if (asked.length === 1)
      begin().write(`: hello\n\n${frame(1)}${frame(2).slice(0, 30)}`, () => response.destroy())
    if (asked.length === 2)
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"detail":"later"}')
    if (asked.length === 3) begin().end(frame(1) + frame(2))
    if (asked.length === 4) begin().write(frame(2) + frame(3))
  })
  expect(await follow(url, 3)).toEqual({ seqs: [1, 2, 3], losses: ['later'] })
  expect(asked).toEqual(['0', '1', '1', '2'])
})

test.each([
  [
    'a team that is gone',
    404,
    'application/json',
    '{"detail":"There is no team \\"t\\"."}',
    /^There is no team "t"\.$/,
  ],
  [
    'a key that is no longer good',
    401,
    'application/json',
    '{"detail":"No."}',
    /^No\. Give a key with --key/,
  ],
  ['a page', 200, 'text/html', '<p>hello', /is no team service \(status 200\)/],
  ['another service', 200, 'text/event-stream', 'data: {"seq": "x"}\n\n', /is no team service/],
  ['garbage', 200, 'text/event-stream', 'data: {\n\n', /is no team service/],
  [
    'one that says our key',
    400,
    'application/json',
    '{"detail":"canary-key is wrong"}',
    /^\[key\] is wrong$/,
  ],
  ['one that paints', 400, 'application/json', '{"detail":"a\\u001b[2Jb\\nc"}', /^a\u{fffd}\[2Jb c$/u],
])('%s ends it in a sentence', async (_what, status, type, body, said) => {
  const url = await serve((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  )
  const failure = await follow(url, 1).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(CommandFailure)
  expect((failure as Error).message).toMatch(said)
})
