import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogger } from '@quire/kit/log'
import { parseToolsetsJson } from '@quire/mcp/toolsets/config'
import { createToolsets } from '@quire/mcp/toolsets/toolsets'
import { verifies } from '@quire/spec/verifies'
import { runConformance, runInspector } from '@quire/testbed/foreign-clients'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER, openSession, textOf } from './notebook.fixture.ts'
import {
  connectToProgram,
  environmentFor,
  kernelsOn,
  startOnPort,
  TOKEN,
} from './notebook-clients.fixture.ts'

const TOOLS = 29
const headers = { Authorization: `Bearer ${TOKEN}` }

let jupyter: Jupyter
let server: Awaited<ReturnType<typeof startOnPort>>
beforeAll(async () => {
  jupyter = await startJupyter()
  await writeFile(join(jupyter.root, 'seen.txt'), '')
  server = await startOnPort(jupyter)
})
afterAll(async () => {
  await server?.stop('SIGKILL')
  await jupyter?.stop()
})
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('the configuration in the documents', () => {
  const CLONE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

  /** As a person pastes it, with the path of the clone, the server's address and its token filled in. */
  async function configurationIn(document: string) {
    const text = await readFile(join(CLONE, document), 'utf8')
    const [, block = ''] = /```json\n(\{\s*"mcpServers".+?)```/s.exec(text) ?? []
    const { mcpServers } = JSON.parse(block.replaceAll('/path/to/quire', CLONE)) as {
      mcpServers: { notebook: { command: string; args: string[]; env: object } }
    }
    expect(Object.keys(mcpServers.notebook.env)).toEqual(Object.keys(environmentFor(jupyter)))
    return { notebook: { ...mcpServers.notebook, env: environmentFor(jupyter) } }
  }

  async function work(call: (tool: string, args: Record<string, unknown>) => Promise<string>, name: string) {
    const open = { notebook_name: name, notebook_path: `${name}.ipynb`, mode: 'create' }
    expect(await call('use_notebook', open)).toContain(`activate notebook '${name}'`)
    const code = { cell_index: -1, cell_source: 'print(6 * 7)' }
    expect(await call('insert_execute_code_cell', code)).toMatch(/^42\n/)
    expect(await call('read_cell', { cell_index: 0 })).toMatch(/print\(6 \* 7\)\n42/)
  }

  test('is one and the same', async () => {
    expect(await configurationIn('README.md')).toEqual(await configurationIn('docs/notebook.md'))
  })

  test('works with our own toolsets', async () => {
    verifies('NB-MODE-5', 'NB-ENV-1', 'NB-ENV-2', 'NB-FLAG-7')
    const folder = await mkdtemp(join(tmpdir(), 'quire-config-'))
    cleanups.push(() => rm(folder, { recursive: true }))
    const file = join(folder, 'mcp.json')
    await writeFile(file, JSON.stringify({ mcpServers: await configurationIn('README.md') }))
    const toolsets = createToolsets(parseToolsetsJson(await readFile(file, 'utf8'), {}), {
      clientInfo: { name: 'quire', version: '1' },
      logger: createLogger({ level: 'silent', pretty: false }),
      environment: process.env,
    })
    cleanups.push(toolsets.close)
    await toolsets.connection('notebook').whenReady(15_000)
    expect(toolsets.tools()).toHaveLength(TOOLS)
    expect(await readFile(join(CLONE, 'README.md'), 'utf8')).toContain(`${TOOLS} tools`)
    await work(async (tool, args) => textOf(await toolsets.call('notebook', tool, args)), 'toolsets')
  })

  /** As in the tests of the launcher, which then starts the Node that is installed beside it. */
  const OLD = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})`

  test.each([
    ['today', []],
    ['long ago', ['--import', OLD]],
  ])('works with the official client on a Node of %s, and leaves no kernel', async (when, nodeArgs) => {
    const { notebook } = await configurationIn('docs/notebook.md')
    const before = await kernelsOn(jupyter)
    const { client, call, close } = await connectToProgram(
      { ...notebook, args: [...nodeArgs, ...notebook.args] },
      'auto',
    )
    cleanups.push(close)
    expect((await client.listTools()).tools).toHaveLength(TOOLS)
    await work(async (tool, args) => (await call(tool, args)).text, when)
    expect(await kernelsOn(jupyter)).toHaveLength(before.length + 1)
    await close()
    // The server may still be ending it.
    await expect.poll(() => kernelsOn(jupyter)).toEqual(before)
  })
})

describe.each([
  ['HTTP', 'legacy'],
  ['HTTP', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
])('over %s, the MCP Inspector in the %s era', (wire, era) => {
  const inspect = (method: string, ...args: string[]) => {
    const program = { command: process.execPath, args: [LAUNCHER, 'notebook', 'start'] }
    const target =
      wire === 'HTTP' ? { url: `${server.url}/mcp`, headers } : { ...program, env: environmentFor(jupyter) }
    return runInspector(target, ['--method', method, ...args, '--protocol-era', era])
  }

  test('lists what there is, and calls tools', async () => {
    verifies('NB-REPLY-1')
    const [tools, prompts, resources, files, failure] = await Promise.all([
      inspect('tools/list'),
      inspect('prompts/list'),
      inspect('resources/list'),
      inspect('tools/call', '--tool-name', 'list_files', '--tool-arg', 'pattern=seen.*'),
      inspect('tools/call', '--tool-name', 'read_notebook', '--tool-arg', 'notebook_name=nothing'),
    ])
    expect(tools).toMatchObject({ code: 0, json: { tools: { length: TOOLS } } })
    expect(tools.stderr).toContain('Schema portability: 0 errors')
    expect(prompts).toMatchObject({ code: 0, json: { prompts: [{ name: 'jupyter_cite' }] } })
    expect(resources).toMatchObject({ code: 0, json: { resources: [] } })
    expect(files).toMatchObject({
      code: 0,
      json: {
        content: [{ text: expect.stringContaining('seen.txt') }],
        structuredContent: { total: 1 },
      },
    })
    // Its own way to say that the tool has failed.
    expect(failure).toMatchObject({
      code: 5,
      json: { isError: true, content: [{ text: expect.stringContaining("'nothing' is not connected") }] },
    })
  })
})

test('the MCP Inspector is refused without the token', async () => {
  verifies('NB-AUTH-1')
  const { code, json, stderr } = await runInspector({ url: `${server.url}/mcp` }, ['--method', 'tools/list'])
  expect(json).toBeUndefined()
  expect(code).not.toBe(0)
  expect(stderr).toContain('auth_required')
})

describe('the conformance suite', () => {
  /** What speaks of the protocol itself, and so of every server. */
  const PASSED = {
    '2025-11-25': [
      'completion-complete',
      'dns-rebinding-protection',
      'ping',
      'prompts-list',
      'resources-list',
      'server-initialize',
      'server-session-lifecycle',
      'server-sse-multiple-streams',
      'tools-list',
    ],
    '2026-07-28': [
      'caching',
      'completion-complete',
      'dns-rebinding-protection',
      'http-header-validation',
      // These four are content with a server that refuses a tool it does not have.
      'input-required-result-ignore-extra-params',
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-validate-input',
      'prompts-list',
      'resources-list',
      'sep-2164-resource-not-found',
      'server-sse-multiple-streams',
      'tools-list',
    ],
  } as const

  const EXCLUDED = [
    // They call tools, prompts and resources of the suite's own example server by name.
    /^(?:tools-call|prompts-get|resources-read|resources-templates-read|json-schema)/,
    // They subscribe to a resource of that server.
    /^resources-(?:un)?subscribe$/,
    // They need tools of that server which ask the user for something, as none of ours does.
    /^(?:elicitation|input-required-result)-/,
    // Messages to the client's log are an optional capability that we do not have: logs go to stderr.
    /^logging-set-level$/,
    // Tasks are an extension that we do not have.
    /^tasks-/,
    // It needs a tool that takes arguments from headers.
    /^http-custom-header-server-validation$/,
    // It needs four diagnostic tools; its other checks are counted below.
    /^server-stateless$/,
  ]

  test.each(['2025-11-25', '2026-07-28'] as const)('passes us in what applies, %s', async (revision) => {
    verifies(revision === '2025-11-25' ? 'NB-MCP-2' : 'NB-MCP-3', 'NB-MCP-1')
    const { call } = await openSession(server.url, TOKEN)
    // A resource to be listed and read.
    const open = { notebook_name: revision, notebook_path: `${revision}.ipynb`, mode: 'create' }
    await call('use_notebook', open)
    const { passed, failed, unscored, output } = await runConformance(`${server.url}/mcp`, {
      revision,
      headers,
    })
    expect(passed, output).toEqual(PASSED[revision])
    const unexpected = [...failed, ...unscored].filter((name) => !EXCLUDED.some((some) => some.test(name)))
    expect(unexpected, output).toEqual([])
    if (revision === '2026-07-28') expect(output).toMatch(/server-stateless: 24 passed, 4 failed/)
  })
})
