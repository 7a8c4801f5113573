import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { type Environment, LAUNCHER } from './notebook.fixture.ts'

const SAMPLE = fileURLToPath(new URL('../../mcp/src/fixtures/stdio-sample.ts', import.meta.url))

/** A data folder. */
export interface RuntimeFolder {
  readonly path: string
  file(name: string): string
  remove(): Promise<void>
}

/** With `sample`, there is a toolset of that name, which adds and waits. */
export async function createRuntimeFolder({ sample = false } = {}): Promise<RuntimeFolder> {
  const path = await mkdtemp(join(tmpdir(), 'quire-runtime-'))
  const file = (name: string) => join(path, name)
  const servers = { sample: { command: process.execPath, args: [SAMPLE, 'both', file('sample.starts')] } }
  if (sample) await writeFile(file('mcp.json'), JSON.stringify({ mcpServers: servers }))
  return { path, file, remove: () => rm(path, { recursive: true, force: true }) }
}

export interface RunningRuntime extends RunningProcess {
  readonly url: string
  readonly port: number
  ask(method: string, path: string, options?: AskOptions): Promise<Response>
  /** The body of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
  read(path: string): Promise<any>
}

export interface AskOptions {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Environment
}

const DEADLINE_MS = 20_000

/** `quire runtime …` to its end, or until it is stopped. */
function spawnRuntime(
  folder: RuntimeFolder,
  command: readonly string[],
  { args = [], env = {} }: StartOptions = {},
): RunningProcess {
  return startProcess(process.execPath, [LAUNCHER, 'runtime', ...command, '--data', folder.path, ...args], {
    env,
  })
}

export async function runRuntime(
  folder: RuntimeFolder,
  command: readonly string[],
  options: StartOptions = {},
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const program = spawnRuntime(folder, command, options)
  const code = await program.exited
  return { code, ...program.output }
}

/** Waits until it says where it is. */
export async function startRuntime(
  folder: RuntimeFolder,
  { args = [], env = {} }: StartOptions = {},
): Promise<RunningRuntime> {
  const anyPort = args.includes('--port') ? [] : ['--port', '0']
  const program = spawnRuntime(folder, ['serve'], { args: [...anyPort, ...args], env })
  const found = await program
    .waitFor(/The agent runtime is at (\S+)\/api\/v1,/)
    .catch(async (error: unknown) => {
      await program.stop('SIGKILL')
      throw error
    })
  const url = found[1] ?? ''
  const ask: RunningRuntime['ask'] = (method, path, options = {}) => {
    const { key, body, headers = {}, signal = AbortSignal.timeout(DEADLINE_MS) } = options
    return fetch(`${url}/api/v1/${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    })
  }
  const port = Number(new URL(url).port)
  return { ...program, url, port, ask, read: async (path) => (await ask('GET', path)).json() }
}

export interface SeenFrame {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: frames of every type, which the tests look into
  readonly frame: any
}

/** Reads until a frame is the one, or to the end; then leaves, or stays to the end. */
export async function readFrames(
  response: Response,
  isEnough: (seen: SeenFrame) => boolean = () => false,
): Promise<readonly SeenFrame[]> {
  const seen: SeenFrame[] = []
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const [, id = '', data] = /^id: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (data === undefined) continue
      const one = { id, frame: JSON.parse(data) }
      seen.push(one)
      if (isEnough(one)) return seen
    }
  }
  return seen
}

/** The answer as a person reads it. */
export function textIn(frames: readonly SeenFrame[]): string {
  return frames.map(({ frame }) => (frame.type === 'text' ? frame.content : '')).join('')
}
