import type { Server, ServerDetail, ServerDone, ServerList, Status, ToolList } from '@quire/composer/contract'
import type { ServerHistory } from '@quire/composer/contract/server-history'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { request } from '../services/request.ts'

const REFRESH_MS = 3_000
/** Far above what anybody configures; the page says it where there are more. */
const MOST_SERVERS = 500

/** Everything that a change of a server or of the configuration may touch. */
export const COMPOSER_KEY = 'composer'

export function useServers() {
  return useQuery({
    queryKey: [COMPOSER_KEY, 'servers'],
    queryFn: ({ signal }) =>
      request<ServerList>('composer', '/api/v1/servers', { query: { limit: MOST_SERVERS }, signal }),
    refetchInterval: REFRESH_MS,
  })
}

export function useServer(id: string) {
  return useQuery({
    queryKey: [COMPOSER_KEY, 'servers', id],
    queryFn: ({ signal }) => request<ServerDetail>('composer', serverPath(id), { signal }),
    refetchInterval: REFRESH_MS,
  })
}

export function useServerHistory(id: string) {
  return useQuery({
    queryKey: [COMPOSER_KEY, 'servers', id, 'history'],
    queryFn: ({ signal }) => request<ServerHistory>('composer', `${serverPath(id)}/history`, { signal }),
    refetchInterval: REFRESH_MS,
  })
}

export function useStatus() {
  return useQuery({
    queryKey: [COMPOSER_KEY, 'status'],
    queryFn: ({ signal }) => request<Status>('composer', '/api/v1/status', { signal }),
    refetchInterval: REFRESH_MS,
  })
}

export interface ToolsWanted {
  readonly search?: string
  readonly server?: string
  readonly offset?: number
  readonly limit: number
}

export function useTools({ search = '', server = '', offset = 0, limit }: ToolsWanted) {
  return useQuery({
    queryKey: [COMPOSER_KEY, 'tools', { search, server, offset, limit }],
    queryFn: ({ signal }) =>
      request<ToolList>('composer', '/api/v1/tools', {
        query: { search: search || undefined, server: server || undefined, offset, limit },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export type ServerOperation = 'start' | 'stop' | 'restart'

export function useServerOperation({ id }: Pick<Server, 'id'>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (operation: ServerOperation) =>
      request<ServerDone>('composer', `${serverPath(id)}/${operation}`, { method: 'POST' }),
    onSettled: () => queries.invalidateQueries({ queryKey: [COMPOSER_KEY] }),
  })
}

export function toolPath(name: string): string {
  return `/api/v1/tools/${encodeURIComponent(name)}`
}

function serverPath(id: string): string {
  return `/api/v1/servers/${encodeURIComponent(id)}`
}
