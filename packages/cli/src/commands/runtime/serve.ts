import { closeAll } from '@quire/kit/close-all'
import { secretsOf } from '@quire/kit/config/read-config'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { createRuntime } from '@quire/runtime/create-runtime'
import { runtimeSettings } from '@quire/runtime/settings'
import { configFrom, dataSetting, environment } from '../../config.ts'
import { guardsFor } from '../../exposure.ts'
import { assertTlsPair } from '../../listen.ts'
import { openDatabase, openModels, readToolsets, secretsInEnvironment } from '../../runtime-files.ts'
import { assertOneDoor, serveWithKeys } from '../../serve-with-keys.ts'
import { readVersion } from '../../version.ts'

/** Serves agents over HTTP until it is told to stop. */
export async function runRuntimeServe(flags: Record<string, unknown>): Promise<void> {
  const settings = configFrom(runtimeSettings, flags)
  const { dataDir } = configFrom(dataSetting, flags)
  assertTlsPair(settings)
  assertOneDoor('runtime', settings)
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
      models: openModels(settings),
      logger,
      redactor,
      metrics: createMetrics({ service: 'runtime', processMetrics: true }),
    },
  ).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  await serveWithKeys(
    { ...runtime, fetch: runtime.fetch, close: () => closeAll([runtime, store]) },
    {
      name: 'runtime',
      settings,
      logger,
      use: 'use these agents and their tools',
      greet: (url) => `The agent runtime is at ${url}/api/v1, described at ${url}/docs`,
    },
  )
}
