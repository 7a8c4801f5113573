import type { Client } from '@modelcontextprotocol/client'
import type { Era } from '@quire/mcp/connection/era'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { program } from '../link/link.fixture.ts'
import { connect, startLive } from './live.fixture.ts'

/** One of both eras, which has the resources that all of them offer, and one of each. */
const SERVERS = ['both', 'legacy', 'modern'] as const
const definitions = SERVERS.map((era) => ({ ...program('plain-server.ts', era, era), name: era }))
const clients: Client[] = []
let live: Awaited<ReturnType<typeof startLive>>

beforeAll(async () => {
  live = await startLive(definitions, { who: 'legacy:pid' })
})
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())))
afterAll(() => live.close())

async function open(era: Era): Promise<Client> {
  const client = await connect(live.front, era)
  clients.push(client)
  return client
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { content } = await client.callTool({ name, arguments: args })
  const [first] = content
  return first?.type === 'text' ? first.text : first
}

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('finds the tools of all servers', async () => {
    const client = await open(era)
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...SERVERS.map((server) => `${server}__echo`), 'who']))
    const [first] = tools
    expect(first).toMatchObject({ description: 'Says what it is told', inputSchema: { type: 'object' } })
    expect(client.getServerVersion()).toMatchObject({ name: 'quire', version: '1' })
    expect(client.getInstructions()).toContain('## legacy')
  })

  test('reaches one tool by its name on MCP, by its name on REST, and by its alias', async () => {
    verifies('CO-MCP-5')
    const client = await open(era)
    const pids = await Promise.all(['legacy__pid', 'legacy:pid', 'who'].map((name) => call(client, name)))
    expect(new Set(pids)).toEqual(new Set([String(live.supervisor.find('legacy')?.status().pid)]))
  })

  test.each(SERVERS)('calls a tool of a server that speaks %s', async (server) => {
    const client = await open(era)
    expect(await call(client, `${server}__echo`, { text: 'hello' })).toBe('hello')
    const structured = await client.callTool({ name: `${server}__structured`, arguments: { a: 1, b: 2 } })
    expect(structured).toMatchObject({
      structuredContent: { sum: 3 },
      _meta: { 'test/origin': 'structured' },
    })
    expect(await client.callTool({ name: `${server}__fail` })).toMatchObject({ isError: true })
  })

  test.each(SERVERS)('is asked whatever a server that speaks %s wants to know', async (server) => {
    verifies('CO-PASS-8')
    const client = await open(era)
    expect(await call(client, `${server}__ask_elicitation`)).toBe('accept: {"colour":"red"}')
    expect(await call(client, `${server}__ask_sampling`)).toContain('roses')
    expect(await call(client, `${server}__ask_roots`)).toBe('file:///home')
  })

  test.each(SERVERS)('gets prompts and completions of a server that speaks %s', async (server) => {
    const client = await open(era)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toContain(`${server}__greet`)
    const prompt = await client.getPrompt({ name: `${server}__greet`, arguments: { name: 'Ada' } })
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'Greet Ada' })
  })

  test('reads resources, and completes the variables of their templates', async () => {
    const client = await open(era)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('memo://one')
    const { contents } = await client.readResource({ uri: 'memo://one' })
    expect(contents).toMatchObject([{ text: 'a memo' }])
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'note://{id}' },
      argument: { name: 'id', value: 'al' },
    })
    expect(completion.values).toEqual(['alpha'])
    await expect(client.readResource({ uri: 'nowhere://' })).rejects.toThrow()
  })

  test('is told of progress, and of what it got wrong', async () => {
    const client = await open(era)
    const progress: number[] = []
    await client.callTool(
      { name: 'legacy__slow', arguments: { ms: 5, steps: 3 } },
      { onprogress: (update) => progress.push(update.progress) },
    )
    expect(progress).toEqual([1, 2, 3])
    await expect(client.callTool({ name: 'legacy__ehco' })).rejects.toMatchObject({ code: -32602 })
  })
})

test('a tool that a server adds is listed and can be called', async () => {
  const client = await open('legacy')
  await client.listTools()
  await call(client, 'legacy__change_tools')
  await expect
    .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
    .toContain('legacy__grown')
  expect(await call(client, 'legacy__grown')).toBe('I am new')
})

test('one subscription at a server is made again when the server was restarted', async () => {
  const client = { era: 'legacy', principal: undefined, capabilities: {}, clientInfo: undefined } as const
  const heard: string[] = []
  const stop = live.gateway.onChange((change) => change.type === 'resource' && heard.push(change.uri))
  const letGo = await live.gateway.subscribe(client, 'memo://one')
  const server = live.supervisor.find(live.catalog.serverOf('memo://one') ?? '')
  await server?.restart()
  // Only a server that was subscribed to tells of it, and this one tells only when it is asked to.
  const official = await open('legacy')
  await expect
    .poll(
      async () => {
        await call(official, `${server?.name}__touch`, { uri: 'memo://one' })
        return heard
      },
      { timeout: 30_000 },
    )
    .toContain('memo://one')
  letGo()
  stop()
})

test('a server that dies in the middle of a call is told as that', async () => {
  const client = await open('modern')
  await expect(client.callTool({ name: 'both__die' })).rejects.toMatchObject({
    code: -32603,
    data: { error_code: 'SERVER_LOST', server: 'both' },
  })
})
