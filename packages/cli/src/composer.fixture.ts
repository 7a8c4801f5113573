import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { vi } from 'vitest'
import { type Environment, LAUNCHER } from './notebook.fixture.ts'

export const POLL = Object.freeze({ timeout: 30_000, interval: 30 })

const SERVERS = fileURLToPath(new URL('../../composer/src/fixtures', import.meta.url))
export const PLAIN = join(SERVERS, 'plain-server.ts')
export const PLAIN_HTTP = join(SERVERS, 'plain-http-server.ts')
export const ROUGH = join(SERVERS, 'rough-server.ts')

/** One `[[servers.proxied.stdio]]`, with further lines behind it. */
export function stdioServer(name: string, script: string, args: readonly string[] = [], more = ''): string {
  const command = JSON.stringify([process.execPath, script, ...args])
  return `[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ${command}\n${more}\n`
}

/** One that misbehaves as it is told, and leaves a line in a file of its name, with its process id, whenever it starts. */
export function roughServer(folder: string, name: string, mode = 'plain', more = ''): string {
  return stdioServer(name, ROUGH, [mode, join(folder, `${name}.starts`)], more)
}

/** A folder with a configuration file, a data folder and whatever servers leave in it. */
export interface Folder {
  readonly path: string
  readonly config: string
  file(name: string): string
  /** Empty where there is none. */
  read(name: string): string
  remove(): Promise<void>
}

/** The text may speak of the folder. */
export async function createFolder(toml: string | ((path: string) => string)): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'quire-composer-'))
  const file = (name: string) => join(path, name)
  await writeFile(file('quire.toml'), typeof toml === 'string' ? toml : toml(path))
  return {
    path,
    config: file('quire.toml'),
    file,
    read: (name) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : ''),
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
  readonly body: any
  readonly text: string
  readonly headers: Headers
}

type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

export interface RunningComposer extends RunningProcess {
  readonly url: string
  readonly folder: Folder
  /** The REST API behind its prefix; a text as the body is sent as it is. */
  readonly ask: Ask
  /** Until the server is in that state; answers its record. */
  whenState(server: string, state: string): Promise<Answer['body']>
}

interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Environment
  readonly key?: string
}

/** What starts `quire composer serve` on a free port, with a data folder of its own. */
export function serveArguments(folder: Folder, args: readonly string[] = []): readonly string[] {
  const port = args.includes('--port') || args.includes('stdio') ? [] : ['--port', '0']
  const own = ['--config', folder.config, '--data', folder.file('data'), ...port]
  return [LAUNCHER, 'composer', 'serve', ...own, ...args]
}

/** The program, from its first breath; whoever starts it stops it. */
export function spawnComposer(
  folder: Folder,
  { args = [], env = {} }: StartOptions = {},
): RunningProcess & { readonly folder: Folder } {
  return { ...startProcess(process.execPath, serveArguments(folder, args), { env }), folder }
}

/** Waits until it says where it is. */
export async function startComposer(folder: Folder, options: StartOptions = {}): Promise<RunningComposer> {
  const program = spawnComposer(folder, options)
  const [, url = ''] = await program.waitFor(/REST at (\S+)\/api\/v1\n/).catch(async (error: unknown) => {
    await program.stop('SIGKILL')
    throw error
  })
  const ask = asker(`${url}/api/v1`, options.key)
  return {
    ...program,
    url,
    ask,
    async whenState(server, state) {
      const found = async () => (await ask('GET', `/servers/${server}`)).body
      let last: Answer['body']
      await vi.waitUntil(
        async () => {
          last = await found()
          return last.state === state
        },
        { ...POLL, message: `"${server}" is not ${state}` },
      )
      return last
    },
  }
}

function asker(base: string, key?: string): Ask {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      text,
      headers: response.headers,
    }
  }
}

/** Runs any command of the program to its end. */
export async function runQuire(
  args: readonly string[],
  options: { readonly env?: Environment; readonly cwd?: string } = {},
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const program = startProcess(process.execPath, [LAUNCHER, ...args], options)
  const code = await program.exited
  return { code, ...program.output }
}

export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

/** The text of a tool's result over REST. */
export function textIn({ body }: Answer): string {
  const { content = [] } = (body.result ?? {}) as { content?: readonly { text?: string }[] }
  return content.map(({ text = '' }) => text).join('\n')
}
