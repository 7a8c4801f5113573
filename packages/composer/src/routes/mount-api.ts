import type { ServiceApp } from '@quire/kit/app/create-app'
import { mountConfig } from './config.ts'
import { mountInvoke } from './invoke.ts'
import { refuseUnknownQueries } from './known-queries.ts'
import type { ComposerParts } from './parts.ts'
import { mountPrompts } from './prompts.ts'
import { mountResources } from './resources.ts'
import { mountServers } from './servers.ts'
import { mountStatus } from './status.ts'
import { mountStreams } from './streams.ts'
import { mountTools } from './tools.ts'
import { mountTranslators } from './translators.ts'

/** The REST API under its prefix, such as `/api/v1`, and the WebSockets beside it. */
export function mountApi(app: ServiceApp, prefix: string, parts: ComposerParts): void {
  for (const path of [prefix, '/ws']) refuseUnknownQueries(app, path)
  mountStatus(app, prefix, parts)
  mountServers(app, prefix, parts)
  mountTools(app, prefix, parts)
  mountInvoke(app, prefix, parts)
  mountPrompts(app, prefix, parts)
  mountResources(app, prefix, parts)
  mountConfig(app, prefix, parts)
  mountTranslators(app, prefix, parts)
  mountStreams(app, parts)
}
