import type { Tool } from '@modelcontextprotocol/client'
import { type Catalog, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import { ComposerError } from '../composer-error.ts'
import type { Link } from '../link/link.ts'
import { PLAIN_DEFINITION } from '../plain-definition.ts'
import type { CommonDefinition, ServerDefinition } from '../server-definition.ts'
import type { ServerRun } from '../supervisor/server-history.ts'
import type { ServerState } from '../supervisor/server-state.ts'
import type { ServerFailure, ServerStatus, SupervisedServer } from '../supervisor/supervisor.ts'

export interface FixtureServer extends SupervisedServer {
  /** What `start` and `restart` run into. */
  startFails: string | undefined
  /** How often it was told to start, stop or restart. */
  readonly told: string[]
  /** What it says of its runs. */
  runs: readonly ServerRun[]
  become(state: ServerState, status?: Partial<ServerStatus>): void
}

/** A server without a process: it is in the state that it is told to be in. */
export function createFixtureServer(
  definition: ServerDefinition,
  offers: Partial<Catalog>,
  onChange: (server: string, catalog: Catalog | undefined) => void,
): FixtureServer {
  const { name } = definition
  const catalog: Catalog = { ...EMPTY_CATALOG, ...offers }
  let status: ServerStatus = {
    state: 'stopped',
    pid: null,
    uptimeSeconds: null,
    restartCount: 0,
    lastError: null,
    retryInMs: null,
  }

  function become(state: ServerState, more: Partial<ServerStatus> = {}): void {
    const isRunning = state === 'running'
    status = {
      ...status,
      state,
      pid: isRunning ? 4711 : null,
      uptimeSeconds: isRunning ? 12.345 : null,
      retryInMs: null,
      ...more,
    }
    onChange(name, isRunning ? catalog : undefined)
  }

  async function start(): Promise<void> {
    server.told.push('start')
    if (status.state === 'running')
      throw new ComposerError('SERVER_ALREADY_RUNNING', `The server "${name}" is running already.`)
    run()
  }

  function run(): void {
    if (server.startFails !== undefined) {
      become('crashed', { lastError: failure(server.startFails) })
      throw new ComposerError(
        'START_FAILED',
        `The server "${name}" could not be started: ${server.startFails}`,
      )
    }
    become('running')
  }

  const server: FixtureServer = {
    name,
    definition,
    startFails: undefined,
    told: [],
    runs: [],
    become,
    status: () => status,
    history: () => server.runs,
    catalog: () => (status.state === 'running' ? catalog : EMPTY_CATALOG),
    link: () => undefined,
    async use(): Promise<Link> {
      if (status.state === 'crashed')
        throw new ComposerError('SERVER_CRASHED', `The server "${name}" has crashed.`)
      throw new ComposerError('SERVER_NOT_RUNNING', `The server "${name}" is not running.`)
    },
    start,
    async stop() {
      server.told.push('stop')
      if (status.state === 'stopped')
        throw new ComposerError('SERVER_NOT_RUNNING', `The server "${name}" is stopped already.`)
      become('stopped')
    },
    async restart() {
      server.told.push('restart')
      status = { ...status, restartCount: status.restartCount + 1 }
      run()
    },
  }
  return server
}

export function failure(reason: string, more: Partial<ServerFailure> = {}): ServerFailure {
  return { reason, exitCode: 1, signal: null, stderr: [], at: '2026-11-15T10:00:00.000Z', ...more }
}

export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: 'object' }, ...more }
}

export function common(name: string, more: Partial<CommonDefinition> = {}): CommonDefinition {
  return {
    name,
    ...PLAIN_DEFINITION,
    autoStart: true,
    readyMs: 1_000,
    restart: { ...PLAIN_DEFINITION.restart, policy: 'never' },
    limits: {
      ...PLAIN_DEFINITION.limits,
      timeoutMs: 10_000,
      resetOnProgress: false,
      maxTotalMs: 10_000,
      inFlight: 8,
      queued: 8,
    },
    ...more,
  }
}

/** One that is started by a command, with secrets about it. */
export function stdio(
  name: string,
  command: readonly [string, ...string[]],
  more: Partial<CommonDefinition> = {},
): ServerDefinition {
  return {
    ...common(name, more),
    transport: 'stdio',
    command,
    env: { NOTE: 'value-of-the-environment' },
    workingDir: undefined,
    maxMemoryBytes: undefined,
    logStderr: true,
    logFile: undefined,
  }
}
