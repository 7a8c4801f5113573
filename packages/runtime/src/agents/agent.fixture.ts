import type { AgentRecord } from './agent-record.ts'

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
