import { expect, test } from 'vitest'
import { withoutServer, withServer } from './server-tables.ts'

const DOCUMENT = {
  composer: { name: 'here' },
  servers: {
    proxied: { stdio: [{ name: 'a' }, { name: 'b' }], sse: [{ name: 'c' }] },
    embedded: { servers: [{ name: 'd' }] },
  },
}

test('a server is added behind those of its kind, into a table that may not be there yet', () => {
  const entry = { name: 'n', url: 'http://127.0.0.1/mcp' }
  expect(withServer(DOCUMENT, 'sse', entry).servers).toMatchObject({
    proxied: { sse: [{ name: 'c' }, entry] },
  })
  expect(withServer({}, 'streamable-http', entry)).toEqual({
    servers: { proxied: { 'streamable-http': [entry] } },
  })
})

test.each([
  [
    'a',
    { proxied: { stdio: [{ name: 'b' }], sse: [{ name: 'c' }] }, embedded: { servers: [{ name: 'd' }] } },
  ],
  ['c', { proxied: { stdio: [{ name: 'a' }, { name: 'b' }] }, embedded: { servers: [{ name: 'd' }] } }],
  ['d', { proxied: { stdio: [{ name: 'a' }, { name: 'b' }], sse: [{ name: 'c' }] }, embedded: {} }],
  ['unknown', DOCUMENT.servers],
])('%s is taken out, and nothing else', (name, servers) => {
  expect(withoutServer(DOCUMENT, name)).toEqual({ composer: { name: 'here' }, servers })
})
