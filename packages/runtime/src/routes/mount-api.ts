import type { ServiceApp } from '@quire/kit/app/create-app'
import { mountA2ui } from '../a2ui/mount-a2ui.ts'
import { withToolsetNames } from '../agents-with-toolsets.ts'
import { mountMcpUi } from '../mcp-ui/mount-mcp-ui.ts'
import { mountA2a } from '../transports/a2a/mount-a2a.ts'
import { mountAgUi } from '../transports/ag-ui/mount-ag-ui.ts'
import { mountVercelAi } from '../transports/vercel-ai/mount-vercel-ai.ts'
import { mountAgents } from './agents.ts'
import { mountConfigure } from './configure.ts'
import { mountConversations } from './conversations.ts'
import type { RuntimeParts } from './parts.ts'
import { mountPrompt } from './prompt.ts'
import { mountStatus } from './status.ts'
import { mountTurns } from './turns.ts'

const PREFIX = '/api/v1'

export function mountApi(app: ServiceApp, parts: RuntimeParts): void {
  mountAgents(app, PREFIX, parts)
  mountPrompt(app, PREFIX, parts)
  mountConversations(app, PREFIX, parts)
  mountTurns(app, PREFIX, parts)
  mountConfigure(app, PREFIX, parts)
  mountStatus(app, PREFIX, parts)
  const running = { ...parts, agents: withToolsetNames(parts.agents, parts.toolsets) }
  mountA2ui(app, running, PREFIX)
  mountMcpUi(app, running, PREFIX)
  mountAgUi(app, PREFIX, running)
  mountVercelAi(app, PREFIX, running)
  mountA2a(app, PREFIX, running)
}
