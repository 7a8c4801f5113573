import type { Agent } from '@quire/runtime/contract'
import type { ToolsetsStatus } from '@quire/runtime/contract/configuration'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../services/request.ts'
import type { AgentList, Configuration, ConversationList, ToolsetsInfo } from './types.ts'

const REFRESH_MS = 5_000
const TOOLSETS_MS = 5_000
/** What changes when the server starts again. */
const SELDOM_MS = 30_000
/** Who may be at work in another tab. */
const CONVERSATIONS_MS = 3_000

export const AGENTS_KEY = ['runtime', 'agents'] as const
export const CONVERSATIONS_KEY = ['runtime', 'conversations'] as const

export function agentPath(id: string): string {
  return `/api/v1/agents/${encodeURIComponent(id)}`
}

export function conversationPath(id: string): string {
  return `/api/v1/conversations/${encodeURIComponent(id)}`
}

export const agentsQuery = queryOptions({
  queryKey: AGENTS_KEY,
  queryFn: ({ signal }) => request<AgentList>('runtime', '/api/v1/agents', { signal }),
  refetchInterval: REFRESH_MS,
})

export function agentQuery(id: string) {
  return queryOptions({
    queryKey: [...AGENTS_KEY, id],
    queryFn: ({ signal }) => request<Agent>('runtime', agentPath(id), { signal }),
  })
}

export const toolsetsQuery = queryOptions({
  queryKey: ['runtime', 'toolsets'],
  queryFn: ({ signal }) =>
    request<ToolsetsStatus>('runtime', '/api/v1/configure/mcp-toolsets-status', { signal }),
  refetchInterval: TOOLSETS_MS,
})

export const configurationQuery = queryOptions({
  queryKey: ['runtime', 'configuration'],
  queryFn: ({ signal }) => request<Configuration>('runtime', '/api/v1/configure/config', { signal }),
  staleTime: SELDOM_MS,
})

/** Where the user interfaces of tools are, by the name that a model calls them by. */
export const toolAppsQuery = queryOptions({
  queryKey: ['runtime', 'tool-apps'],
  queryFn: ({ signal }) =>
    request<ToolsetsInfo>('runtime', '/api/v1/configure/mcp-toolsets-info', { signal }),
  staleTime: SELDOM_MS,
  select: ({ toolsets }): ReadonlyMap<string, string> =>
    new Map(
      toolsets.flatMap(({ name, tools }) =>
        tools.flatMap((tool) =>
          tool.ui_resource_uri === undefined
            ? []
            : [[`${name}__${tool.name}`, tool.ui_resource_uri] as const],
        ),
      ),
    ),
})

export function conversationsQuery(agentId: string, limit: number) {
  return queryOptions({
    queryKey: [...CONVERSATIONS_KEY, agentId, limit],
    queryFn: ({ signal }) =>
      request<ConversationList>('runtime', '/api/v1/conversations', {
        query: { agent_id: agentId, limit },
        signal,
      }),
    refetchInterval: CONVERSATIONS_MS,
    placeholderData: (before) => before,
  })
}
