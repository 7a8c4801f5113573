import { expect, test } from 'vitest'
import { createOwnAgents } from './own-agents.ts'

const SEEN = { host: '127.0.0.1', port: 7878 }

test.each([
  ['a port of its own', SEEN, ['http://127.0.0.1:7878', 'http://localhost:7878']],
  ['any port', { ...SEEN, port: 0 }, []],
  ['TLS', { ...SEEN, port: 443, tlsCert: 'x.pem' }, ['https://127.0.0.1', 'https://localhost']],
  [
    'an address of version 6',
    { host: '::1', port: 1 },
    ['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'],
  ],
  [
    'a proxy',
    { ...SEEN, port: 0, publicUrl: 'https://Q.example.org/quire/' },
    ['https://q.example.org/quire'],
  ],
  ['a name that is none', { host: 'a b', port: 1 }, ['http://127.0.0.1:1', 'http://localhost:1']],
  ['an odd address of a proxy', { ...SEEN, port: 0, publicUrl: 'https://q.example.org/%7Eada' }, []],
])('with %s, agents are allowed where people see them', (_what, seen, bases) => {
  const { allowed } = createOwnAgents(seen, async () => new Response())
  expect(allowed).toEqual(
    ['http://localhost:0', ...bases].map((base) => ({ url: `${base}/runtime/api/v1/agents/` })),
  )
})

test('what goes to them stays inside, with whatever it carries', async () => {
  const asked: string[] = []
  const agents = createOwnAgents(SEEN, async (url) => {
    asked.push(String(url))
    return new Response()
  })
  for (const url of [
    'http://127.0.0.1:7878/runtime/api/v1/agents/guide/prompt',
    'http://localhost:0/runtime/api/v1/conversations/x',
    'http://127.0.0.1:7878/notebook/mcp',
    'http://127.0.0.1:78781/runtime/x',
  ])
    await agents.fetch(url)
  expect(asked).toEqual([
    'http://localhost:0/runtime/api/v1/agents/guide/prompt',
    'http://localhost:0/runtime/api/v1/conversations/x',
    'http://127.0.0.1:7878/notebook/mcp',
    'http://127.0.0.1:78781/runtime/x',
  ])
})
