import { createGuide } from '@quire/agent/guide'
import { createModels } from '@quire/agent/models'
import { closeAll } from '@quire/kit/close-all'
import { ConfigError } from '@quire/kit/config/config-error'
import { secretsOf } from '@quire/kit/config/read-config'
import { isLoopbackHost } from '@quire/kit/guard/host'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { shutDown } from '@quire/kit/serve/shut-down'
import { createRuntime } from '@quire/runtime/create-runtime'
import { type RuntimeSettings, runtimeSettings } from '@quire/runtime/settings'
import { configFrom, dataSetting, environment } from '../../config.ts'
import { guardsFor, warnOfOpenDoor } from '../../exposure.ts'
import { runUntilSignal } from '../../lifecycle.ts'
import { assertTlsPair, listen } from '../../listen.ts'
import { openDatabase, readToolsets, secretsInEnvironment } from '../../runtime-files.ts'
import { readVersion } from '../../version.ts'

/** Serves agents over HTTP until it is told to stop. */
export async function runRuntimeServe(flags: Record<string, unknown>): Promise<void> {
  const settings = configFrom(runtimeSettings, flags)
  const { dataDir } = configFrom(dataSetting, flags)
  assertTlsPair(settings)
  assertOneDoor(settings)
  const toolsets = readToolsets(settings.mcpConfig, dataDir)
  const redactor = createRedactor({
    secrets: [...secretsOf(runtimeSettings, settings), ...settings.apiKeys, ...secretsInEnvironment()],
  })
  const logger = createLogger({ level: settings.logLevel, pretty: process.stderr.isTTY === true, redactor })
  const store = await openDatabase({ ...settings, dataDir }, logger)
  const runtime = await createRuntime(
    {
      version: readVersion(),
      defaultModel: settings.model,
      toolsets,
      requiredToolsets: settings.requiredToolsets,
      environment: environment(),
      keepConversationsDays: settings.keepConversations,
      apiKeys: settings.apiKeys,
      isAlwaysOpen: settings.insecureNoauth,
      rateLimits: settings.rateLimits,
      guards: guardsFor(settings),
      trustedProxies: settings.trustedProxies,
      publicUrl: settings.publicUrl,
    },
    {
      store,
      models: createModels({ environment: environment(), guide: createGuide() }),
      logger,
      redactor,
      metrics: createMetrics({ service: 'runtime', processMetrics: true }),
    },
  ).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const service = {
    fetch: runtime.fetch,
    drain: runtime.drain,
    close: () => closeAll([runtime, store]),
  }
  const { host, insecureNoauth } = settings
  if (runtime.isOpen() && !insecureNoauth && !isLoopbackHost(host)) {
    await service.close()
    throw openToOthers(host)
  }
  const listening = await listen(settings, service)
  // Only now: two of us on one port must not both run the programs of the toolsets.
  runtime.start()
  const stopped = runUntilSignal(
    { close: () => shutDown(listening, [service]) },
    logger,
    process,
    process.exit,
  )
  if (runtime.isOpen()) warnOfOpenDoor(logger, host, 'use these agents and their tools')
  process.stdout.write(
    `The agent runtime is at ${listening.url}/api/v1, described at ${listening.url}/docs\n`,
  )
  await stopped
}

function assertOneDoor({ insecureNoauth, apiKeys }: RuntimeSettings): void {
  if (!insecureNoauth || apiKeys.length === 0) return
  const message = 'lets everybody in, and --api-key (RUNTIME_API_KEYS) does not: leave one of the two out'
  throw new ConfigError([{ setting: '--insecure-runtime-noauth', origin: 'with --api-key', message }])
}

function openToOthers(host: string): ConfigError {
  const message =
    'is reached from other machines, and nobody is asked for a key: issue one with "quire runtime keys issue", give RUNTIME_API_KEYS or --api-key, or give --insecure-runtime-noauth to let everybody in'
  return new ConfigError([{ setting: '--host', origin: host, message }])
}
