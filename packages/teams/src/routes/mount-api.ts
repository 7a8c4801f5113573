import type { ServiceApp } from '@quire/kit/app/create-app'
import { mountTeamsA2a } from '../a2a/mount-teams-a2a.ts'
import { mountEvents } from './events.ts'
import { mountLifecycle } from './lifecycle.ts'
import type { TeamsParts } from './parts.ts'
import { mountStatus } from './status.ts'
import { mountTasks } from './tasks.ts'
import { mountTeams } from './teams.ts'

export function mountApi(app: ServiceApp, parts: TeamsParts): void {
  mountTeams(app, parts)
  mountLifecycle(app, parts)
  mountTasks(app, parts)
  mountEvents(app, parts)
  mountStatus(app, parts)
  mountTeamsA2a(app, parts)
}
