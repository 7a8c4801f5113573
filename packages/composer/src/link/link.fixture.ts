import { fileURLToPath } from 'node:url'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { PLAIN_DEFINITION } from '../plain-definition.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import type {
  CommonDefinition,
  EmbeddedDefinition,
  RemoteDefinition,
  StdioDefinition,
} from '../server-definition.ts'
import type { Link, LinkLog, LinkOptions } from './link.ts'
import { openLink } from './open-link.ts'

const COMMON: CommonDefinition = {
  name: 'test',
  ...PLAIN_DEFINITION,
  autoStart: true,
  readyMs: 10_000,
  restart: { ...PLAIN_DEFINITION.restart, policy: 'never' },
  limits: {
    ...PLAIN_DEFINITION.limits,
    timeoutMs: 10_000,
    resetOnProgress: false,
    maxTotalMs: 10_000,
    inFlight: 100,
    queued: 100,
  },
}

/** A definition of one of the programs among the fixtures. */
export function program(file: string, ...args: string[]): StdioDefinition {
  return {
    ...COMMON,
    transport: 'stdio',
    command: [process.execPath, fixture(file), ...args],
    env: {},
    workingDir: undefined,
    maxMemoryBytes: undefined,
    logStderr: true,
    logFile: undefined,
  }
}

export function remote(url: string, extra: Partial<RemoteDefinition> = {}): RemoteDefinition {
  return { ...COMMON, transport: 'http', url, headers: {}, program: undefined, ...extra }
}

export function embedded(module: string): EmbeddedDefinition {
  return { ...COMMON, transport: 'embedded', module }
}

export function fixture(file: string): string {
  return fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url))
}

/** What a link has told so far. */
export interface Told {
  readonly catalog: string[]
  readonly resources: string[]
  readonly logs: LinkLog[]
  readonly stderr: string[]
  garbage: number
}

/** Opens links, keeps what they tell, and closes them together. */
export function createLinks() {
  const opened: Link[] = []

  async function open(
    definition: StdioDefinition | RemoteDefinition | EmbeddedDefinition,
    options: Partial<LinkOptions> = {},
  ): Promise<{ readonly link: Link; readonly told: Told }> {
    const told: Told = { catalog: [], resources: [], logs: [], stderr: [], garbage: 0 }
    const link = await openLink(definition, {
      logger: createSilentLogger(),
      environment: { PATH: '/usr/bin:/bin', HOME: '/nowhere', SECRET: 'ours alone' },
      clientInfo: { name: 'quire-test', version: '1' },
      signal: new AbortController().signal,
      readyMs: definition.readyMs,
      stopTimes: { endMs: 500, terminateMs: 500 },
      onCatalog: (kind) => told.catalog.push(kind),
      onResource: (uri) => told.resources.push(uri),
      onLog: (entry) => told.logs.push(entry),
      onStderr: (line) => told.stderr.push(line),
      onGarbage: () => {
        told.garbage += 1
      },
      ...options,
    })
    opened.push(link)
    return { link, told }
  }

  return {
    open,
    async closeAll(): Promise<void> {
      await Promise.all(opened.splice(0).map((link) => link.close()))
    },
  }
}

export function createAsker(extra: Partial<Asker> = {}): Asker {
  return { era: 'legacy', capabilities: {}, client: {}, signal: new AbortController().signal, ...extra }
}

export function call(
  link: Link,
  name: string,
  args: Params = {},
  asker: Asker = createAsker(),
  meta?: Params,
): Promise<Reply> {
  return link.request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, asker)
}

/** The bytes of a result, or a failure of the test. */
export function rawOf(reply: Reply): string {
  if ('error' in reply) throw new Error(`an error was answered: ${JSON.stringify(reply.error)}`)
  return reply.result.toString('utf8')
}

/** The first text of a tool's result. */
export function textOf(reply: Reply): string {
  const { content } = JSON.parse(rawOf(reply))
  return content[0].text
}
