import type { RequestListener } from 'node:http'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'
import { startPeer } from '../upstream/peer.fixture.ts'

const TOKEN = 'token-of-this-server-0123456789'

/** Tools that each begin with another part of the server. */
const CALLS: readonly [string, Record<string, unknown>][] = [
  ['list_files', {}],
  ['use_notebook', { notebook_name: 'n', notebook_path: 'n.ipynb' }],
  ['use_notebook', { notebook_name: 'n', notebook_path: 'n.ipynb', mode: 'create' }],
  ['rename_file', { path: 'a.txt', new_path: 'b.txt' }],
  ['delete_file', { path: 'a.txt' }],
  ['list_kernels', {}],
  ['list_kernelspecs', {}],
  ['execute_code', { code: '1' }],
]

const answer =
  (status: number, headers: Record<string, string>, body = ''): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

const JSON_TYPE = { 'content-type': 'application/json' }
const HTML_TYPE = { 'content-type': 'text/html' }

const SERVERS: readonly [string, RequestListener, RegExp][] = [
  ['answers in HTML', answer(200, HTML_TYPE, '<html><body>Welcome</body></html>'), /Jupyter server/],
  [
    'sends everybody to a login page',
    answer(302, { location: '/hub/login?next=x' }),
    /token|log ?in|authentication/i,
  ],
  [
    'sends everybody elsewhere',
    answer(302, { location: 'https://elsewhere.example.org/' }),
    /redirect|elsewhere/i,
  ],
  ['refuses the token', answer(403, JSON_TYPE, '{"message":"Forbidden"}'), /token was not accepted/],
  ['fails', answer(500, JSON_TYPE, '{"message":"disk on fire"}'), /failing|failed/],
  ['answers with something else than JSON', answer(200, JSON_TYPE, '{"half":'), /Jupyter server|JSON/],
  ['answers with JSON of another kind', answer(200, JSON_TYPE, '["surprise"]'), /.{20}/],
  ['breaks off', (request) => request.socket.destroy(), /.{20}/],
]

let tools: ToolBench | undefined
afterEach(() => tools?.close())

describe.each(SERVERS)('a server that %s', (_what, listener, message) => {
  test('is told of in a sentence by every tool, and nothing is in use afterwards', async () => {
    verifies('NB-REPLY-1')
    const peer = await startPeer(listener)
    try {
      tools = await startToolClient({ jupyter: { url: peer.url, token: TOKEN } })
      for (const [name, args] of CALLS) {
        const reply = await tools.call(name, args)
        expect(reply.isError, name).toBe(true)
        expect(reply.text, name).toMatch(message)
        expect(reply.text, name).not.toContain(TOKEN)
        expect(reply.structured, name).toEqual({
          error: { code: expect.not.stringMatching(/^internal$/), message: reply.text },
        })
      }
      expect((await tools.call('list_notebooks')).text).toContain('No managed notebooks')
    } finally {
      await peer.close()
    }
  })
})

test('a server that is not there is told of with its address and what to check', async () => {
  const peer = await startPeer(answer(200, {}))
  await peer.close()
  tools = await startToolClient({ jupyter: { url: peer.url, token: TOKEN } })
  for (const [name, args] of CALLS) {
    const reply = await tools.call(name, args)
    expect(reply).toMatchObject({ isError: true, structured: { error: { code: 'unreachable' } } })
    expect(reply.text).toContain(peer.url)
  }
})
