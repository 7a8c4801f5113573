import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The program as people start it. */
export const LAUNCHER = fileURLToPath(new URL('../bin/quire.mjs', import.meta.url))

export type Environment = Readonly<Record<string, string>>

/** What starts the service over HTTP, on a free port unless another is asked for. */
export function serverArguments(args: readonly string[]): readonly string[] {
  const port = args.includes('--port') ? [] : ['--port', '0']
  return [LAUNCHER, 'notebook', 'start', '--transport', 'streamable-http', ...port, ...args]
}

/** Waits until a service over HTTP says where it is. */
export async function whenServing<One extends { waitFor(pattern: RegExp): Promise<RegExpExecArray> }>(
  one: One,
): Promise<One & { readonly url: string; readonly port: number }> {
  const [, url = ''] = await one.waitFor(/The notebook tools are at (\S+)\/mcp\n/)
  return { ...one, url, port: Number(new URL(url).port) }
}

export interface StdioClient {
  readonly pid: number
  /** Everything that came on stderr so far. */
  readonly log: () => string
  /** Lines on stdout that are no JSON-RPC message. */
  readonly strays: readonly string[]
  request(method: string, params?: object): Promise<Record<string, unknown>>
  /** Closes stdin, or sends a signal; resolves with the exit code, or the signal's name. */
  end(signal?: NodeJS.Signals): Promise<number | string>
}

/** The other end of `quire notebook start` over stdio, a session of the older protocol opened. */
export async function startStdio(
  args: readonly string[],
  env: Environment = {},
  nodeArgs: readonly string[] = [],
): Promise<StdioClient> {
  const child = spawn(process.execPath, [...nodeArgs, LAUNCHER, 'notebook', 'start', ...args], { env })
  const waiting = new Map<number, (message: Record<string, unknown>) => void>()
  const strays: string[] = []
  let log = ''
  let ids = 0
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  createInterface(child.stdout).on('line', (line) => {
    try {
      const message: Record<string, unknown> = JSON.parse(line)
      waiting.get(Number(message.id))?.(message)
    } catch {
      strays.push(line)
    }
  })
  const exited = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  async function request(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++ids
    const answer = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const gone = exited.then((code): never => {
      throw new Error(`the process ended with ${code} before it answered ${method}:\n${log}`)
    })
    return Promise.race([answer, gone])
  }

  const clientInfo = { name: 'test', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    pid: child.pid ?? 0,
    log: () => log,
    strays,
    request,
    end(signal) {
      if (signal) child.kill(signal)
      else child.stdin.end()
      return exited
    },
  }
}

export interface HttpClient {
  /** The text of a tool's reply. */
  call(tool: string, args?: object): Promise<string>
}

/** A session of the older protocol with a server over HTTP. */
export async function openSession(url: string, token: string): Promise<HttpClient> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  let ids = 0

  async function request(method: string, params: object): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params })
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(30_000),
    })
    headers['mcp-session-id'] ??= response.headers.get('mcp-session-id') ?? ''
    const text = await response.text()
    const [, answer = text] = /^data: (\{.*"result".*\})$/m.exec(text) ?? []
    return JSON.parse(answer).result
  }

  const clientInfo = { name: 'test', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  return {
    call: async (name, args = {}) => textOf(await request('tools/call', { name, arguments: args })),
  }
}

/** All that a tool's reply says in words. */
export function textOf(result: unknown): string {
  const { content = [] } = result as { content?: readonly { text?: string }[] }
  return content.map(({ text = '' }) => text).join('\n')
}
