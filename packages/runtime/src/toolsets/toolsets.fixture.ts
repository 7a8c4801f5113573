import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { type Clock, systemClock } from '@quire/mcp/connection/clock'
import { parseToolsets } from '@quire/mcp/toolsets/config'
import { createToolsets, type ToolsetsOptions } from '@quire/mcp/toolsets/toolsets'
import type { AgentRecord } from '../agents/agent-record.ts'
import { UI_CAPABILITIES } from './tool-ui.ts'

/** The real thing, from the words of an `mcp.json`; lost servers are back in a fiftieth of the time. */
export function openToolsets(mcpServers: object, options: Partial<ToolsetsOptions> = {}) {
  const log: string[] = []
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => log.push(line) },
  })
  const pauses: number[] = []
  const clock: Clock = {
    now: systemClock.now,
    sleep(ms, signal) {
      pauses.push(ms)
      return systemClock.sleep(ms / 50, signal)
    },
  }
  const environment = { PATH: '/usr/bin:/bin' }
  const config = {
    clientInfo: { name: 'quire-test', version: '1' },
    logger,
    environment,
    clock,
    stopTimes: { endMs: 100, terminateMs: 500 },
    capabilities: UI_CAPABILITIES,
    ...options,
  }
  const toolsets = createToolsets(parseToolsets({ mcpServers }, environment), config)
  return { toolsets, logger, log, pauses, redactor: createRedactor() }
}

export function agentWith(fields: Partial<AgentRecord> = {}): AgentRecord {
  return {
    id: 'ada',
    name: 'Ada',
    description: 'An agent',
    transport: 'streaming',
    model: 'builtin:guide',
    systemPrompt: '',
    mcpToolsets: [],
    maxSteps: 10,
    toolApproval: false,
    createdAt: '2026-11-15T00:00:00.000Z',
    updatedAt: '2026-11-15T00:00:00.000Z',
    ...fields,
  }
}
