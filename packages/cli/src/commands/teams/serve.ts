import { closeAll } from '@quire/kit/close-all'
import { secretsOf } from '@quire/kit/config/read-config'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { createTeams } from '@quire/teams/create-teams'
import { allowedAgentsOf, teamsSettings } from '@quire/teams/settings'
import { configFrom, dataSetting, environment } from '../../config.ts'
import { guardsFor } from '../../exposure.ts'
import { assertTlsPair } from '../../listen.ts'
import { openDatabase, openModels, readToolsets, secretsInEnvironment } from '../../runtime-files.ts'
import { assertOneDoor, serveWithKeys } from '../../serve-with-keys.ts'
import { readVersion } from '../../version.ts'

/** Serves teams over HTTP, and works on their tasks, until it is told to stop. */
export async function runTeamsServe(flags: Record<string, unknown>): Promise<void> {
  const settings = configFrom(teamsSettings, flags)
  const { dataDir } = configFrom(dataSetting, flags)
  assertTlsPair(settings)
  assertOneDoor('teams', settings)
  const allowedAgents = allowedAgentsOf(settings)
  const toolsets = readToolsets(settings.mcpConfig, dataDir)
  const redactor = createRedactor({
    secrets: [...secretsOf(teamsSettings, settings), ...settings.apiKeys, ...secretsInEnvironment()],
  })
  const logger = createLogger({ level: settings.logLevel, pretty: process.stderr.isTTY === true, redactor })
  const store = await openDatabase({ ...settings, dataDir }, logger)
  const teams = await createTeams(
    {
      version: readVersion(),
      defaultModel: settings.model,
      toolsets,
      requiredToolsets: settings.requiredToolsets,
      environment: environment(),
      concurrency: settings.concurrency,
      allowedAgents,
      apiKeys: settings.apiKeys,
      isAlwaysOpen: settings.insecureNoauth,
      rateLimits: settings.rateLimits,
      guards: guardsFor(settings),
      trustedProxies: settings.trustedProxies,
      publicUrl: settings.publicUrl,
      autoStart: false,
    },
    {
      store,
      models: openModels(settings),
      logger,
      redactor,
      metrics: createMetrics({ service: 'teams', processMetrics: true }),
    },
  ).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  await serveWithKeys(
    { ...teams, fetch: teams.app.fetch, close: () => closeAll([teams, store]) },
    {
      name: 'teams',
      settings,
      logger,
      use: 'use these teams and their tools',
      greet: (url) => `The team service is at ${url}/teams, described at ${url}/docs`,
    },
  )
}
