import { openSync, writeSync } from 'node:fs'
import { createComposer } from '@quire/composer/create-composer'
import { type ComposerSettings, composerSettings } from '@quire/composer/settings'
import { ConfigError } from '@quire/kit/config/config-error'
import { secretsOf } from '@quire/kit/config/read-config'
import { isLoopbackHost } from '@quire/kit/guard/host'
import { createLogger, type Logger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { shutDown } from '@quire/kit/serve/shut-down'
import { configFrom, dataSetting, environment } from '../../config.ts'
import { guardsFor, warnOfOpenDoor } from '../../exposure.ts'
import { runUntilSignal } from '../../lifecycle.ts'
import { assertTlsPair, listen } from '../../listen.ts'
import { releaseStartMemory } from '../../release-memory.ts'
import { readVersion } from '../../version.ts'
import { readWebPages } from '../../web-pages.ts'
import { loadConfig } from './load-config.ts'

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 8080
/** For servers that start; those that take longer are told of when they are there. */
const STDIO_PATIENCE_MS = 5_000

/** Runs the servers of a file and offers them as one, over HTTP or to the one client at the other end of a pipe, until it is told to stop. */
export async function runComposerServe(flags: Record<string, unknown>): Promise<void> {
  const settings = configFrom(composerSettings, flags)
  const { dataDir } = configFrom(dataSetting, flags)
  const loaded = await loadConfig(settings.config)
  const { api, composer: named, monitoring } = loaded.config
  const redactor = createRedactor({ secrets: secretsOf(composerSettings, settings) })
  const logger = createLogger({
    level: settings.logLevel ?? named.logLevel,
    pretty: monitoring.logFormat ? monitoring.logFormat === 'text' : process.stderr.isTTY === true,
    colors: process.stderr.isTTY === true && monitoring.logFile === undefined,
    redactor,
    ...(monitoring.logFile !== undefined && { destination: teeTo(monitoring.logFile) }),
  })
  const exposure = {
    ...settings,
    host: settings.host ?? api.host ?? DEFAULT_HOST,
    port: settings.port ?? named.port ?? api.port ?? DEFAULT_PORT,
    allowedOrigins: [...settings.allowedOrigins, ...api.corsOrigins],
  }
  assertTlsPair(exposure)
  const ui = await readWebPages(logger)
  const composer = await createComposer(
    {
      version: readVersion(),
      loaded,
      environment: environment(),
      dataDir,
      allowedCommands: settings.allowCommands,
      apiKeys: settings.apiKeys,
      guards: guardsFor(exposure),
      trustedProxies: settings.trustedProxies,
      ...(settings.publicUrl !== undefined && { publicUrl: settings.publicUrl }),
      ...(ui && { ui }),
    },
    { logger, redactor, metrics: createMetrics({ service: 'composer', processMetrics: true }) },
  )
  for (const { path, line, message } of loaded.warnings) logger.warn({ path, line }, message)
  if (settings.transport === 'stdio' && !loaded.config.transport.stdio) throw stdioIsOff()
  if (settings.transport === 'stdio') await serveOverStdio(composer, logger)
  else await serveOverHttp(composer, exposure, { logger, hasPages: ui !== undefined })
}

function stdioIsOff(): ConfigError {
  const message = 'the file has stdio_enabled = false in [transport]: set it to true, or serve over http'
  return new ConfigError([{ setting: '--transport', origin: 'stdio', message }])
}

type Composer = Awaited<ReturnType<typeof createComposer>>

async function serveOverHttp(
  composer: Composer,
  exposure: ComposerSettings & { readonly host: string; readonly port: number },
  { logger, hasPages }: { readonly logger: Logger; readonly hasPages: boolean },
): Promise<void> {
  const { host, insecureNoauth } = exposure
  if (composer.isOpen && !insecureNoauth && !isLoopbackHost(host)) throw openToOthers(host)
  const listening = await listen(exposure, {
    fetch: composer.app.fetch,
    shortWay: composer.shortWay(),
    close: composer.close,
  })
  const service = { close: () => shutDown(listening, [composer]) }
  const stopped = runUntilSignal(service, logger, process, process.exit)
  // Only now: two composers on one port must not both run the servers.
  await startOrClose(composer, service)
  if (exposure.apiKeys.length > 0)
    warnOfNoRole(composer, logger, 'the keys of --api-key and COMPOSER_API_KEYS have')
  if (composer.isOpen) warnOfOpenDoor(logger, host, 'call these tools and steer these servers')
  process.stdout.write(announcement(listening.url, composer.config(), hasPages))
  composer
    .settled()
    .then(releaseStartMemory)
    .catch((error: unknown) => logger.debug({ err: error }, 'the memory of the start was not given back'))
  await stopped
}

function openToOthers(host: string): ConfigError {
  const message =
    'is reached from other machines, and nobody is asked for a key: turn authentication on with COMPOSER_API_KEYS, --api-key or [authentication] in the file, or give --insecure-composer-noauth to let everybody in'
  return new ConfigError([{ setting: '--host', origin: host, message }])
}

/** What listens keeps the process alive, and one that runs no servers is of no use. */
async function startOrClose(composer: Composer, service: { close(): Promise<void> }): Promise<void> {
  try {
    await composer.start()
  } catch (error) {
    await service.close()
    throw error
  }
}

async function serveOverStdio(composer: Composer, logger: Logger): Promise<void> {
  const { stdin, stdout, stderr } = process
  warnOfNoRole(composer, logger, 'a client on stdio has')
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const front = composer.serveStdio({ stdin, stdout, stderr, ready })
  const parts = {
    async close() {
      resolve()
      await front.close()
      await composer.close()
    },
  }
  const stopped = runUntilSignal(parts, logger, process, process.exit, front.closed)
  await composer.start()
  await composer.settled(STDIO_PATIENCE_MS)
  resolve()
  await stopped
}

/** A client on a pipe has no key, and keys that are not of the file name no role. */
function warnOfNoRole(composer: Composer, logger: Logger, whoHas: string): void {
  const { enabled, roles } = composer.config().authorization
  if (enabled && !roles.some(({ name }) => name === 'default'))
    logger.warn(
      `[authorization] is on, and ${whoHas} only the role "default", which the file does not have: no tool will be seen. Write [[authorization.roles]] with name = "default"`,
    )
}

function announcement(
  url: string,
  { api, servers, transport, ui }: ReturnType<Composer['config']>,
  hasPages: boolean,
): string {
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`
  const pages = ui.enabled && hasPages ? ` Pages at ${url}${ui.path}` : ''
  const mcp = transport.streamableHttp.enabled ? ` MCP at ${url}${transport.streamableHttp.path}` : ''
  const rest = api.enabled ? ` REST at ${url}${api.pathPrefix}` : ''
  return `The composer has ${count}.${[pages, mcp, rest].filter(Boolean).join(',')}\n`
}

/** Standard error goes on; a copy of every line is appended to the file, as long as it takes them. */
function teeTo(file: string): { write(line: string): void } {
  const copy = openSync(file, 'a', 0o600)
  let isBroken = false
  return {
    write(line) {
      process.stderr.write(line)
      try {
        writeSync(copy, line)
        isBroken = false
      } catch (error) {
        if (!isBroken) process.stderr.write(`quire: ${file} cannot be written: ${String(error)}\n`)
        isBroken = true
      }
    },
  }
}
