import { createLogger } from '@quire/kit/log'
import { createToolsets, type Toolsets } from '@quire/mcp/toolsets/toolsets'
import { expect, test } from 'vitest'
import { withToolsetNames } from './agents-with-toolsets.ts'
import { createLateToolsets } from './late-toolsets.ts'
import { listServers, secretsIn } from './server-listing.ts'

const NONE = { names: ['a', 'b'], required: ['b'] }
const never = (): Toolsets => {
  throw new Error('started too early')
}

test('toolsets that have not been started are as good as starting', () => {
  const late = createLateToolsets({ ...NONE, open: never })
  const waiting = { ready: false, tools: [] }
  expect(late.status()).toEqual({ initialized: false, servers: { a: waiting, b: waiting } })
  expect(late.missing()).toEqual(['The toolset "b" is still starting.'])
  expect(late.tools()).toEqual([])
  expect(() => late.connection('a')).toThrow('not been started')
  expect(createLateToolsets({ ...NONE, names: [], open: never }).status().initialized).toBe(true)
})

test('they start once, and are the real ones from then on', async () => {
  let starts = 0
  const options = {
    clientInfo: { name: 'test', version: '1' },
    environment: {},
    logger: createLogger({ level: 'silent', pretty: false }),
  }
  const late = createLateToolsets({
    names: [],
    required: [],
    open() {
      starts += 1
      return createToolsets(new Map(), options)
    },
  })
  const events = collect(late.events())
  late.start()
  late.start()
  expect(starts).toBe(1)
  expect(late.status()).toEqual({ initialized: true, servers: {} })
  await late.close()
  expect(await events).toEqual([])
})

test('who waits for events of toolsets that never start is let go', async () => {
  const late = createLateToolsets({ ...NONE, open: never })
  const events = collect(late.events())
  await late.close()
  expect(await events).toEqual([])
})

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
  expect(secretsIn(config)).toEqual([secrets.env, `Bearer ${secrets.header}`, secrets.header])
})

test('an agent with all toolsets has each by its name where it is run', async () => {
  const agent = { id: 'a', mcpToolsets: ['*'] } as never
  const store = { list: async () => [agent], find: async () => agent } as never
  const agents = withToolsetNames(store, { names: ['files', 'web'] })
  expect((await agents.find('a'))?.mcpToolsets).toEqual(['files', 'web'])
  expect((await agents.list())[0]?.mcpToolsets).toEqual(['files', 'web'])
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
