import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CallToolResult,
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio'
import type { Jupyter } from '@quire/testbed/jupyter'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { vi } from 'vitest'
import { type Environment, serverArguments, textOf, whenServing } from './notebook.fixture.ts'

export const TOKEN = 'a-token-of-my-own-0123456789'

/** How the official client finds its protocol: `auto` ends at the stateless one, `legacy` at the one with sessions. */
export type Mode = 'auto' | 'legacy'

export interface ToolReply {
  readonly text: string
  readonly content: CallToolResult['content']
  readonly structured: Record<string, unknown>
  readonly isError: boolean
}

export interface OfficialClient<Wire extends Transport = Transport> {
  readonly client: Client
  readonly transport: Wire
  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<ToolReply>
  close(): Promise<void>
}

/** The official client on a server at `url`. */
export function connectToPort(
  url: string,
  mode: Mode,
): Promise<OfficialClient<StreamableHTTPClientTransport>> {
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  return connect(mode, new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
}

/** The official client, which starts the server itself. */
export function connectToProgram(
  program: StdioServerParameters,
  mode: Mode,
): Promise<OfficialClient<StdioClientTransport>> {
  return connect(mode, new StdioClientTransport({ stderr: 'ignore', ...program }))
}

async function connect<Wire extends Transport>(mode: Mode, transport: Wire): Promise<OfficialClient<Wire>> {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return {
    client,
    transport,
    close: () => client.close(),
    async call(name, args = {}, options) {
      const result = await client.callTool({ name, arguments: args }, options)
      return {
        text: textOf(result),
        content: result.content,
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
        isError: result.isError === true,
      }
    },
  }
}

export function environmentFor({ url, token }: Pick<Jupyter, 'url' | 'token'>): Environment {
  return { NOTEBOOK_URL: url, NOTEBOOK_TOKEN: token }
}

/** `quire notebook start` over HTTP. */
export function startOnPort(
  jupyter: Pick<Jupyter, 'url' | 'token'>,
): Promise<RunningProcess & { readonly url: string }> {
  const env = { MCP_TOKEN: TOKEN, ...environmentFor(jupyter) }
  return whenServing(startProcess(process.execPath, serverArguments([]), { env }))
}

export async function kernelsOn({ url, token }: Jupyter): Promise<string[]> {
  const list = () => fetch(`${url}/api/kernels`, { headers: { authorization: `token ${token}` } })
  // While another kernel starts, the server fails to list any.
  const response = await vi.waitUntil(async () => [await list()].find(({ ok }) => ok), { timeout: 30_000 })
  return ((await response.json()) as { id: string }[]).map(({ id }) => id)
}

/** Code that goes on until it is let go, and leaves files in its folder by which it is seen from outside. */
export interface LongRun {
  readonly code: string
  /** Options of the call that runs it. */
  readonly options: RequestOptions
  /** The service has heard of its begin, so that it knows what there is to interrupt. */
  readonly hasBegun: Promise<void>
  wasInterrupted(): boolean
  /** How often it has run. */
  runs(): number
  letGo(): Promise<void>
}

export function longRun({ root }: Jupyter, name: string, signal?: AbortSignal): LongRun {
  const file = (what: string) => join(root, `${name}.${what}`)
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>()
  const onprogress = ({ message = '' }) => {
    if (message.includes(`${name} has begun`)) resolve()
  }
  return {
    code: `
import os, time
with open('${name}.runs', 'a') as file: file.write('.')
try:
    print('${name} has begun', flush=True)
    for _ in range(3000):
        if os.path.exists('${name}.go'): break
        time.sleep(0.02)
except KeyboardInterrupt:
    open('${name}.interrupted', 'w').close()
    raise
print('${name} has ended')`.trim(),
    options: { onprogress, ...(signal && { signal }) },
    hasBegun,
    wasInterrupted: () => existsSync(file('interrupted')),
    runs: () => readFileSync(file('runs'), 'utf8').length,
    letGo: () => writeFile(file('go'), ''),
  }
}
