import { type Catalog, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import type { Clock } from '@quire/mcp/connection/clock'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { Link, LinkEnd, LinkOptions, OpenLink } from '../link/link.ts'
import { LinkError } from '../link/link-error.ts'
import { PLAIN_DEFINITION } from '../plain-definition.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { RemoteDefinition, ServerDefinition, StdioDefinition } from '../server-definition.ts'
import { createSupervisor, type SupervisorOptions } from './create-supervisor.ts'
import type { SupervisorEvent } from './supervisor.ts'

export function define(name: string, extra: Partial<StdioDefinition> = {}): StdioDefinition {
  return {
    name,
    transport: 'stdio',
    command: [process.execPath],
    env: {},
    workingDir: undefined,
    maxMemoryBytes: undefined,
    logStderr: true,
    logFile: undefined,
    ...PLAIN_DEFINITION,
    autoStart: true,
    limits: {
      ...PLAIN_DEFINITION.limits,
      timeoutMs: 10_000,
      resetOnProgress: false,
      maxTotalMs: 60_000,
      inFlight: 16,
      queued: 16,
      breakerFailures: 5,
      breakerOpenMs: 30_000,
    },
    ...extra,
  }
}

export function defineRemote(name: string, extra: Partial<RemoteDefinition> = {}): RemoteDefinition {
  return {
    ...define(name),
    transport: 'http',
    url: 'http://127.0.0.1:1/mcp',
    headers: {},
    program: undefined,
    ...extra,
  }
}

/** Time that passes only when it is told to. */
export interface TestClock extends Clock {
  /** Lets so much time pass, one sleeper after the other, and everything that follows from each. */
  pass(ms: number): Promise<void>
  /** How long each of those still sleeps who sleep. */
  sleepers(): number[]
}

export function createTestClock(): TestClock {
  let now = 1000
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
  return {
    now: () => now,
    sleepers: () => [...sleepers].map(({ until }) => until - now).sort((a, b) => a - b),
    sleep(ms, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper = { until: now + ms, wake }
        sleepers.add(sleeper)
        signal.addEventListener('abort', wake, { once: true })
        function wake(): void {
          sleepers.delete(sleeper)
          signal.removeEventListener('abort', wake)
          resolve()
        }
      })
    },
    async pass(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const [next] = [...sleepers].sort((a, b) => a.until - b.until)
        if (!next || next.until > end) break
        now = Math.max(now, next.until)
        next.wake()
        await settle()
      }
      now = end
      await settle()
    },
  }
}

/** Everything that can happen without time has happened. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export interface TestLink extends Link {
  readonly options: LinkOptions
  /** The server ends by itself. */
  exit(end?: Partial<LinkEnd>): void
  isClosed: boolean
}

/** What the next links of a server do; by default they open at once, answer everything and close well. */
export interface Behaviour {
  open?: (link: TestLink, options: LinkOptions) => Promise<unknown> | undefined
  request?: (method: string, params: Params, asker: Asker) => Promise<Reply>
  ping?: () => Promise<void>
  close?: () => Promise<void>
  catalog?: Catalog
  pid?: number
}

export const END: LinkEnd = {
  reason: 'ended with exit code 1',
  exitCode: 1,
  signal: null,
  stderr: ['last words'],
  isForgotten: false,
  isClosed: false,
}

/** Links in memory: every one that was opened, by its server. */
export function createTestLinks() {
  const links: TestLink[] = []
  const behaviours = new Map<string, Behaviour>()
  /** Of which something is left: two generations of one server would be a fault of the supervisor. */
  const open = new Set<string>()
  const twins: string[] = []
  let attempts = 0

  const openLink: OpenLink = async ({ name }, options) => {
    attempts += 1
    if (open.has(name)) {
      twins.push(name)
      throw new Error(`two generations of ${name}`)
    }
    const behaviour = behaviours.get(name) ?? {}
    const link = createTestLink(name, options, behaviour, () => open.delete(name))
    open.add(name)
    try {
      await behaviour.open?.(link, options)
    } catch (error) {
      open.delete(name)
      throw error
    }
    links.push(link)
    return link
  }

  return {
    openLink,
    links,
    /** Servers of which two generations met. */
    twins,
    attempts: () => attempts,
    behave(name: string, behaviour: Behaviour): void {
      behaviours.set(name, behaviour)
    },
    latest(name: string): TestLink {
      const link = links.findLast(({ server }) => server === name)
      if (!link) throw new Error(`${name} has not been opened`)
      return link
    },
  }
}

function createTestLink(
  server: string,
  options: LinkOptions,
  behaviour: Behaviour,
  onGone: () => void,
): TestLink {
  const { promise: ended, resolve } = Promise.withResolvers<LinkEnd>()
  const link: TestLink = {
    server,
    options,
    pid: behaviour.pid ?? null,
    isClosed: false,
    ended,
    eraFor: () => 'legacy',
    info: () => ({
      protocolVersion: '2025-11-25',
      serverInfo: { name: server, version: '1' },
      capabilities: {},
      instructions: undefined,
    }),
    catalog: () => behaviour.catalog ?? EMPTY_CATALOG,
    request: behaviour.request ?? (async () => ({ result: Buffer.from('{}') })),
    notify: async () => undefined,
    subscribe: async () => undefined,
    ping: behaviour.ping ?? (async () => undefined),
    exit: (end = {}) => resolve({ ...END, ...end }),
    async close() {
      link.isClosed = true
      resolve({ ...END, reason: 'was closed', exitCode: null, isClosed: true })
      try {
        await behaviour.close?.()
      } finally {
        onGone()
      }
    },
  }
  return link
}

export function startFault(reason: string, end: Partial<LinkEnd> = {}): LinkError {
  return new LinkError('start', reason, { end: { ...END, ...end } })
}

export type Stage = ReturnType<typeof superviseTestLinks>

/** Ends it, however long that takes in its own time, and sees that nothing is left. */
export async function closeStage({ supervisor, clock, twins }: Stage): Promise<void> {
  const closing = supervisor.close()
  await clock.pass(60_000)
  await closing
  const sleepers = clock.sleepers()
  if (sleepers.length > 0) throw new Error(`somebody still sleeps, for ${sleepers.join()} ms`)
  if (twins.length > 0) throw new Error(`two generations of ${twins.join()} met`)
}

/** A supervisor over links in memory, in a time of its own, with all that it tells. */
export function superviseTestLinks(options: Partial<SupervisorOptions> = {}) {
  const clock = createTestClock()
  const links = createTestLinks()
  const events: SupervisorEvent[] = []
  const supervisor = createSupervisor({
    openLink: links.openLink,
    logger: createSilentLogger(),
    environment: {},
    clientInfo: { name: 'test', version: '1' },
    clock,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...options,
  })
  return {
    ...links,
    clock,
    events,
    supervisor,
    async apply(...definitions: ServerDefinition[]) {
      const changes = await supervisor.apply(definitions)
      await settle()
      return changes
    },
    server(name: string) {
      const server = supervisor.find(name)
      if (!server) throw new Error(`there is no server ${name}`)
      return server
    },
    states: (name: string) =>
      events.flatMap((event) => (event.type === 'state' && event.server === name ? [event.state] : [])),
    failure(name: string) {
      const failed = events.findLast(
        (event) => event.type === 'state' && event.server === name && event.failure,
      )
      return failed?.type === 'state' ? failed.failure : undefined
    },
  }
}
