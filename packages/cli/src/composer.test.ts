import { verifies } from '@quire/spec/verifies'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  createFolder,
  type Folder,
  PLAIN,
  PLAIN_HTTP,
  POLL,
  type RunningComposer,
  startComposer,
  stdioServer,
} from './composer.fixture.ts'
import { connectToUrl, type NamedClient } from './composer-clients.fixture.ts'
import { LAUNCHER } from './notebook.fixture.ts'

const MODES = ['auto', 'legacy'] as const
/** A program, an address, and a module within the composer. */
const SERVERS = ['plain', 'web', 'inner'] as const
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

let folder: Folder
let web: RunningProcess
let composer: RunningComposer
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  web = startProcess(process.execPath, [PLAIN_HTTP, 'both'])
  const [, url = ''] = await web.waitFor(/^(\S+)\n/)
  folder = await createFolder(
    [
      '[composer]\nname = "shelf"\n',
      stdioServer('plain', PLAIN, ['both'], 'log_file = "plain.log"'),
      `[[servers.proxied.streamable-http]]\nname = "web"\nurl = "${url}"\n`,
      `[[servers.embedded.servers]]\nname = "inner"\npackage = "${PLAIN}"\n`,
    ].join('\n'),
  )
  composer = await startComposer(folder)
  for (const server of SERVERS) await composer.whenState(server, 'running')
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
afterAll(async () => {
  await composer?.stop('SIGKILL')
  await web?.stop('SIGKILL')
  await folder?.remove()
})

async function open(mode: (typeof MODES)[number], name = 'ada'): Promise<NamedClient> {
  const client = await connectToUrl(`${composer.url}/mcp`, mode, name)
  cleanups.push(client.close)
  return client
}

const invoke = (tool: string, args: object = {}) => composer.ask('POST', `/tools/${tool}/invoke`, args)

test('it starts the servers of its file, and says where it is', async () => {
  verifies('CO-SVC-1', 'CO-SVC-3', 'CO-SUP-1', 'CO-AUTH-1', 'CO-SERVER-1', 'CO-STATUS-1')
  expect(composer.output.stdout).toBe(
    `The composer has 3 servers. Pages at ${composer.url}/ui, MCP at ${composer.url}/mcp, REST at ${composer.url}/api/v1\n`,
  )
  const { body } = await composer.ask('GET', '/servers')
  expect(body.servers).toMatchObject([
    { name: 'plain', state: 'running', transport: 'stdio', pid: expect.any(Number), tools_count: 17 },
    { name: 'web', state: 'running', transport: 'http', pid: null },
    { name: 'inner', state: 'running', transport: 'embedded', pid: null },
  ])
  const { status, body: health } = await composer.ask('GET', '/health')
  expect(status).toBe(200)
  expect(health).toEqual({
    status: 'healthy',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    uptime_seconds: expect.any(Number),
  })
  expect(composer.output.stderr).toContain('authentication is off: every program on this machine may')
})

test('it listens on port 8080 unless it is told otherwise', async () => {
  verifies('CO-SVC-4')
  const own = await createFolder('[servers]\n')
  cleanups.push(own.remove)
  const args = [LAUNCHER, 'composer', 'serve', '--config', own.config, '--data', own.file('data')]
  const program = startProcess(process.execPath, args)
  cleanups.push(() => program.stop('SIGKILL'))
  // Somebody else may have it: then that is said.
  const said = await Promise.race([
    program.waitFor(/MCP at http:\/\/127\.0\.0\.1:8080\/mcp/),
    program.waitFor(/127\.0\.0\.1:8080.* is in use by another program/, 'stderr'),
  ])
  expect(said[0]).toContain('8080')
})

test('it serves its numbers, and pages about its API', async () => {
  verifies('CO-SVC-5', 'CO-SVC-6')
  await invoke('plain:echo', { text: 'counted' })
  const get = (path: string) => fetch(composer.url + path, { signal: AbortSignal.timeout(30_000) })
  const metrics = await get('/metrics')
  expect(metrics.headers.get('content-type')).toContain('text/plain')
  expect(await metrics.text()).toMatch(/^mcp_\w+\{.*server_id="plain".*\} [1-9]/m)
  for (const page of ['/docs', '/redoc']) {
    const response = await get(page)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('<html')
  }
  const document = (await (await get('/openapi.json')).json()) as { paths: Record<string, unknown> }
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/api/v1/servers', '/api/v1/tools/{tool_name}/invoke', '/api/v1/config']),
  )
})

describe.each(MODES)('the official client in mode %s', (mode) => {
  test('finds the tools of all servers, under names that every client accepts', async () => {
    verifies('CO-MCP-1', 'CO-MCP-3', 'CO-MCP-5', 'CO-TOOL-1', 'CO-TOOL-2')
    const { client } = await open(mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
    expect(client.getServerVersion()).toMatchObject({ name: 'shelf' })
    const { tools } = await client.listTools()
    const { body } = await composer.ask('GET', '/tools')
    expect(tools.length).toBeGreaterThanOrEqual(3 * 17)
    expect(body.tools.map(({ mcp_name }: { mcp_name: string }) => mcp_name)).toEqual(
      tools.map(({ name }) => name),
    )
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    for (const server of SERVERS) {
      const tool = tools.find(({ name }) => name === `${server}__structured`)
      const listed = body.tools.find(({ name }: { name: string }) => name === `${server}:structured`)
      expect(tool).toMatchObject({
        description: 'Adds two numbers',
        outputSchema: { properties: { sum: { type: 'number' } } },
        annotations: { readOnlyHint: true },
      })
      expect(listed).toMatchObject({
        server,
        description: tool?.description,
        input_schema: tool?.inputSchema,
        output_schema: tool?.outputSchema,
        annotations: tool?.annotations,
      })
    }
  })

  test.each(SERVERS)('gets what the tools of "%s" answer, untouched, as REST does', async (server) => {
    verifies('CO-MCP-5', 'CO-INVOKE-2', 'CO-INVOKE-3')
    const { call } = await open(mode)
    const structured = {
      content: [{ type: 'text', text: '3' }],
      structuredContent: { sum: 3 },
      _meta: { 'test/origin': 'structured' },
    }
    const image = {
      content: [
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'text', text: 'a picture' },
      ],
    }
    const failed = { isError: true, content: [{ type: 'text', text: 'no luck' }] }
    expect(await call(`${server}__structured`, { a: 1, b: 2 })).toMatchObject(structured)
    expect(await call(`${server}__image`)).toMatchObject(image)
    expect(await call(`${server}__fail`)).toMatchObject(failed)
    const overRest = await Promise.all([
      invoke(`${server}:structured`, { a: 1, b: 2 }),
      invoke(`${server}:image`),
      invoke(`${server}:fail`),
    ])
    expect(overRest).toMatchObject([
      { status: 200, body: { result: structured, is_error: false } },
      { status: 200, body: { result: image, is_error: false } },
      { status: 200, body: { result: failed, is_error: true } },
    ])
  })

  test('gets prompts, resources, templates and completions', async () => {
    const { client } = await open(mode)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(SERVERS.map((server) => `${server}__greet`))
    for (const { name } of prompts)
      expect(await client.getPrompt({ name, arguments: { name: 'Ada' } })).toMatchObject({
        messages: [{ content: { text: 'Greet Ada' } }],
      })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['memo://one', 'blob://one'])
    expect(await client.readResource({ uri: 'memo://one' })).toMatchObject({ contents: [{ text: 'a memo' }] })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['note://{id}'])
    expect(await client.readResource({ uri: 'note://7' })).toMatchObject({ contents: [{ text: 'a note' }] })
    const ref = { type: 'ref/resource', uri: 'note://{id}' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'be' } })
    expect(completion.values).toEqual(['beta'])
  })

  test('cancels a call, and its server hears of it', async () => {
    verifies('CO-PASS-4')
    const { client } = await open(mode)
    const gone = new AbortController()
    const steps: number[] = []
    const call = client.callTool(
      { name: 'plain__slow', arguments: { ms: 20, steps: 1000 } },
      {
        signal: gone.signal,
        onprogress({ progress }) {
          steps.push(progress)
          gone.abort()
        },
      },
    )
    await expect(call).rejects.toThrow()
    expect(steps[0]).toBe(1)
    const count = () => folder.read('plain.log').split('slow was cancelled').length - 1
    await expect.poll(count, POLL).toBeGreaterThanOrEqual(MODES.indexOf(mode) + 1)
  })
})

describe('two clients at once', () => {
  async function openBoth(): Promise<[NamedClient, NamedClient]> {
    return Promise.all([open('auto', 'ada'), open('legacy', 'bob')])
  }

  const QUESTIONS = ['ask_elicitation', 'ask_sampling', 'ask_roots']
  const answersOf = (name: string) => [
    `accept: {"colour":"${name}"}`,
    expect.stringContaining(`a poem by ${name}`),
    `file:///home/${name}`,
  ]

  test.each(['plain', 'web'])('are each asked for their own by "%s"', async (server) => {
    verifies('CO-PASS-5')
    const all = [...(await openBoth()), await open('legacy', 'cleo')]
    const answers = await Promise.all(
      all.map(({ say }) => Promise.all(QUESTIONS.map((question) => say(`${server}__${question}`)))),
    )
    expect(answers).toEqual(['ada', 'bob', 'cleo'].map(answersOf))
    for (const { asked } of all) expect(asked.toSorted()).toEqual(['elicitation', 'roots', 'sampling'])
  })

  test('are never asked for each other by a server that does not say whom it asks', async () => {
    const both = await openBoth()
    for (const [at, { say }] of both.entries())
      for (const [index, question] of QUESTIONS.entries())
        expect(await say(`inner__${question}`)).toEqual(answersOf(at === 0 ? 'ada' : 'bob')[index])
    const atOnce = await Promise.all(both.map(({ say }) => say('inner__ask_elicitation')))
    for (const [at, answer] of atOnce.entries())
      expect([
        `accept: {"colour":"${at === 0 ? 'ada' : 'bob'}"}`,
        expect.stringContaining('does not say which of them it is for'),
      ]).toContainEqual(answer)
  })

  test.each(SERVERS)('hear of the progress of their own calls to "%s" alone', async (server) => {
    verifies('CO-PASS-3')
    const [ada, bob] = await openBoth()
    const steps: Record<string, number[]> = { ada: [], bob: [] }
    const slow = ({ client }: NamedClient, name: string, count: number) =>
      client.callTool(
        { name: `${server}__slow`, arguments: { ms: 5, steps: count } },
        { onprogress: ({ progress }) => void steps[name]?.push(progress) },
      )
    await Promise.all([slow(ada, 'ada', 2), slow(bob, 'bob', 4)])
    expect(steps).toEqual({ ada: [1, 2], bob: [1, 2, 3, 4] })
  })

  test.each(SERVERS)('hear the log of their own calls to "%s" alone', async (server) => {
    const [ada, bob] = await openBoth()
    await bob.client.setLoggingLevel('info')
    const logged = { method: 'notifications/message', params: { level: 'warning', logger: 'plain' } }
    await ada.client.callTool({ name: `${server}__log`, _meta: { [LOG_LEVEL]: 'info' } })
    await expect.poll(() => ada.heard, POLL).toMatchObject([logged])
    expect(bob.heard).toEqual([])
    await bob.call(`${server}__log`)
    await expect.poll(() => bob.heard, POLL).toMatchObject([logged])
    expect(ada.heard).toHaveLength(1)
  })

  test('are told of a resource when they have subscribed to it, and of new tools', async () => {
    verifies('CO-PASS-6', 'CO-PASS-7')
    const [ada, bob] = await openBoth()
    const cleo = await open('legacy', 'cleo')
    await ada.client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://one'] })
    await bob.client.subscribeResource({ uri: 'memo://one' })
    const updates = ({ heard }: NamedClient) =>
      heard
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map(({ params }) => params.uri)
    const toldOfTools = ({ heard }: NamedClient) =>
      heard.some(({ method }) => method === 'notifications/tools/list_changed')
    await cleo.call('plain__touch', { uri: 'memo://one' })
    await expect.poll(() => [updates(ada), updates(bob)], POLL).toEqual([['memo://one'], ['memo://one']])
    await bob.client.unsubscribeResource({ uri: 'memo://one' })
    await cleo.call('plain__touch', { uri: 'memo://one' })
    await expect.poll(() => updates(ada), POLL).toHaveLength(2)
    for (const server of ['plain', 'web']) {
      for (const { heard } of [ada, bob, cleo]) heard.splice(0)
      expect((await cleo.client.listTools()).tools.map(({ name }) => name)).not.toContain(`${server}__grown`)
      await cleo.call(`${server}__change_tools`)
      await expect.poll(() => [ada, bob, cleo].map(toldOfTools), POLL).toEqual([true, true, true])
      await expect
        .poll(async () => (await ada.client.listTools()).tools.map(({ name }) => name), POLL)
        .toContain(`${server}__grown`)
      expect(await bob.say(`${server}__grown`)).toBe('I am new')
    }
    // Whoever did not subscribe heard nothing, and whoever let go heard nothing more.
    expect([updates(bob), updates(cleo)]).toEqual([[], []])
  })
})
