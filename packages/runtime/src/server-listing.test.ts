import { expect, test } from 'vitest'
import { listServers } from './server-listing.ts'

test('servers are shown without anything that may be a secret', () => {
  const secrets = {
    env: 'secret-of-env',
    args: 'secret-of-args',
    header: 'secret-of-header',
    query: 'secret-in-url',
  }
  const config = new Map([
    ['files', { type: 'stdio', command: 'npx', args: ['--key', secrets.args], env: { TOKEN: secrets.env } }],
    [
      'web',
      {
        type: 'http',
        url: `https://example.org/mcp?key=${secrets.query}`,
        headers: { Authorization: `Bearer ${secrets.header}` },
      },
    ],
  ] as const)
  const shown = listServers(config)
  expect(shown).toEqual([
    { name: 'files', transport: 'stdio', command: 'npx', env: ['TOKEN'] },
    { name: 'web', transport: 'http', url: 'https://example.org/mcp', headers: ['Authorization'] },
  ])
  for (const secret of Object.values(secrets)) expect(JSON.stringify(shown)).not.toContain(secret)
})

test('a server of this process has no address', () => {
  const headers = { authorization: 'Bearer inside' }
  const own = new Map([
    ['notebook', { type: 'http', url: 'http://localhost:0/notebook/mcp', headers }],
  ] as const)
  expect(listServers(own)).toEqual([{ name: 'notebook', transport: 'embedded' }])
})
