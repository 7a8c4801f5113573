import { join } from 'node:path'
import type { LoadedConfig } from '@quire/composer/config/read-config-file'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom, dataSetting, environment } from '../../config.ts'
import { readVersion } from '../../version.ts'
import { loadConfig } from './load-config.ts'

export interface AskOptions {
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
  readonly config: string
}

/** The server that a question is about, where it is about one: then no other has to be started for it. */
export type About = string | undefined

/** The REST API of a composer, wherever it is. */
export interface AskedComposer {
  /** The JSON of an answer, whose status is for the caller to judge. `path` is behind the prefix of the API. */
  ask(method: 'GET' | 'POST', path: string, body?: string): Promise<{ status: number; body: unknown }>
  close(): Promise<void>
}

const DEADLINE_MS = 600_000
const DEFAULT_PREFIX = '/api/v1'

/** The one that runs at the address, or else one of our own, with the servers of the file, as long as it is asked. */
export async function askComposer({ url, apiKey, config }: AskOptions, about: About): Promise<AskedComposer> {
  if (url === undefined) return startOwn(config, about)
  // The address that is printed for MCP clients will do as well.
  return askRunning(url.replace(/\/+$/, '').replace(/\/mcp$/, ''), apiKey)
}

async function startOwn(file: string, about: About): Promise<AskedComposer> {
  // Not needed to ask one that runs.
  const { createComposer } = await import('@quire/composer/create-composer')
  const redactor = createRedactor()
  const composer = await createComposer(
    {
      version: readVersion(),
      loaded: onlyAbout(about, withoutDoors(await loadConfig(file))),
      environment: environment(),
      // Beside that of a composer that runs: each writes down its own processes.
      dataDir: join(configFrom(dataSetting, {}).dataDir, 'commands'),
      allowedCommands: [],
      apiKeys: [],
    },
    {
      logger: createLogger({ level: 'error', pretty: process.stderr.isTTY === true, redactor }),
      redactor,
      metrics: createMetrics({ service: 'composer' }),
    },
  )
  await composer.start()
  await composer.settled()
  const prefix = composer.config().api.pathPrefix
  const ask: AskedComposer['ask'] = async (method, path, body) =>
    readAnswer(await composer.app.request(prefix + path, requestOf(method, body)))
  await warnOfCrashes(ask)
  return { ask, close: composer.close }
}

/** Keys, roles and limits are for clients; whoever has the file may use what it names. */
function withoutDoors(loaded: LoadedConfig): LoadedConfig {
  const { authentication, authorization, api } = loaded.config
  const config = {
    ...loaded.config,
    authentication: { ...authentication, enabled: false },
    authorization: { ...authorization, enabled: false },
    api: { ...api, enabled: true },
  }
  return { ...loaded, config }
}

/** All of them where the file has none of that name: then the answer says what there is. */
function onlyAbout(about: About, loaded: LoadedConfig): LoadedConfig {
  const servers = loaded.config.servers.filter(({ name }) => name === about)
  return servers.length === 0 ? loaded : { ...loaded, config: { ...loaded.config, servers } }
}

/** What is missing among the tools, and why. */
async function warnOfCrashes(ask: AskedComposer['ask']): Promise<void> {
  const { status, body } = await ask('GET', '/servers?status=crashed&limit=1000')
  if (status !== 200) return
  const { servers } = body as { servers: { name: string; last_error: string | null }[] }
  for (const { name, last_error: reason } of servers)
    process.stderr.write(`warning: server "${name}" ${reason}\n`)
}

function askRunning(base: string, apiKey: string | undefined): AskedComposer {
  return {
    async ask(method, path, body) {
      const headers: Record<string, string> =
        apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
      const request = requestOf(method, body, headers)
      try {
        // A redirection would carry the key to somebody else.
        const response = await fetch(base + DEFAULT_PREFIX + path, { ...request, redirect: 'error' })
        if (response.status === 401) throw wantsKey(base, apiKey)
        return await readAnswer(response)
      } catch (error) {
        if (error instanceof CommandFailure) throw error
        const cause =
          error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
        throw new CommandFailure(
          `Nothing can be asked at ${base} (${cause}). Is a composer running there? Start it with "quire composer serve".`,
          { cause: error },
        )
      }
    },
    close: async () => undefined,
  }
}

function wantsKey(base: string, apiKey: string | undefined): CommandFailure {
  const what = apiKey === undefined ? 'asks for a key' : 'does not know this key'
  return new CommandFailure(`The composer at ${base} ${what}: give one with --api-key or COMPOSER_API_KEY.`)
}

function requestOf(
  method: string,
  body: string | undefined,
  headers: Record<string, string> = {},
): RequestInit {
  return {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  }
}

async function readAnswer(response: Response): Promise<{ status: number; body: unknown }> {
  const text = await response.text()
  try {
    return { status: response.status, body: JSON.parse(text) }
  } catch (error) {
    const message = `What answers there is no composer (status ${response.status}). Give the address where "quire composer serve" listens.`
    throw new CommandFailure(message, { cause: error })
  }
}

/** The sentence of an error body. */
export function detailOf(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined
  return typeof detail === 'string' ? detail : JSON.stringify(body)
}
