import { allServices } from './clauses/all-services.ts'
import { compositionConfig } from './clauses/composition-config.ts'
import { compositionGateway } from './clauses/composition-gateway.ts'
import { compositionServers } from './clauses/composition-servers.ts'
import { compositionTools } from './clauses/composition-tools.ts'
import { notebookHttp } from './clauses/notebook-http.ts'
import { notebookLive } from './clauses/notebook-live.ts'
import { notebookSettings } from './clauses/notebook-settings.ts'
import { notebookTools } from './clauses/notebook-tools.ts'
import { notebookUpstream } from './clauses/notebook-upstream.ts'
import { runtimeAgents } from './clauses/runtime-agents.ts'
import { runtimePrompts } from './clauses/runtime-prompts.ts'
import { runtimeService } from './clauses/runtime-service.ts'
import { teamsLifecycle } from './clauses/teams-lifecycle.ts'
import { teamsTasks } from './clauses/teams-tasks.ts'

export const clauses = [
  ...allServices,
  ...notebookSettings,
  ...notebookHttp,
  ...notebookUpstream,
  ...notebookTools,
  ...notebookLive,
  ...runtimeAgents,
  ...runtimePrompts,
  ...runtimeService,
  ...compositionServers,
  ...compositionTools,
  ...compositionConfig,
  ...compositionGateway,
  ...teamsLifecycle,
  ...teamsTasks,
] as const

export type ClauseId = (typeof clauses)[number]['id']

/** A clause, or all clauses of an area: `NB-MGMT-*`. */
export type ClausePattern = ClauseId | AreaOf<ClauseId>

type AreaOf<Id extends string> = Id extends `${infer Part}-${infer Area}-${number}`
  ? `${Part}-${Area}-*`
  : never
