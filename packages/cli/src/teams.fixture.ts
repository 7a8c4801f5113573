import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { type Environment, LAUNCHER } from './notebook.fixture.ts'

const SAMPLE = fileURLToPath(new URL('../../mcp/src/fixtures/stdio-sample.ts', import.meta.url))
const DEADLINE_MS = 20_000

/** A data folder, with a toolset `sample`, which adds and waits. */
export interface TeamsFolder {
  readonly path: string
  file(name: string): string
  remove(): Promise<void>
}

export async function createTeamsFolder(): Promise<TeamsFolder> {
  const path = await mkdtemp(join(tmpdir(), 'quire-teams-'))
  const file = (name: string) => join(path, name)
  const servers = { sample: { command: process.execPath, args: [SAMPLE, 'both', file('sample.starts')] } }
  await writeFile(file('mcp.json'), JSON.stringify({ mcpServers: servers }))
  return { path, file, remove: () => rm(path, { recursive: true, force: true }) }
}

/** `quire teams …`, under way. */
export function spawnTeams(args: readonly string[], env: Environment = {}): RunningProcess {
  return startProcess(process.execPath, [LAUNCHER, 'teams', ...args], { env })
}

/** `quire teams …` to its end. */
export async function runTeams(
  args: readonly string[],
  env: Environment = {},
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const program = spawnTeams(args, env)
  return { code: await program.exited, ...program.output }
}

export interface RunningTeams extends RunningProcess {
  readonly url: string
  readonly port: number
  /** For the commands that ask it. */
  readonly env: Environment
  ask(method: string, path: string, options?: { key?: string; body?: unknown }): Promise<Response>
  /** The body of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
  read(path: string): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  post(path: string, body?: unknown): Promise<any>
}

/** Waits until it says where it is. */
export async function startTeams(
  folder: TeamsFolder,
  args: readonly string[] = [],
  env: Environment = {},
): Promise<RunningTeams> {
  const anyPort = args.includes('--port') ? [] : ['--port', '0']
  const program = spawnTeams(['serve', '--data', folder.path, ...anyPort, ...args], env)
  const found = await program
    .waitFor(/The team service is at (\S+)\/teams,/)
    .catch(async (error: unknown) => {
      await program.stop('SIGKILL')
      throw error
    })
  const url = found[1] ?? ''
  const ask: RunningTeams['ask'] = (method, path, { key, body } = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
  return {
    ...program,
    url,
    port: Number(new URL(url).port),
    env: { TEAMS_URL: url },
    ask,
    read: async (path) => (await ask('GET', path)).json(),
    post: async (path, body) => (await ask('POST', path, { body })).json(),
  }
}
