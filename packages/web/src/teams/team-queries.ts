import type { Task, Team, TeamMetrics, TeamSummary } from '@quire/teams/contract'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../services/request.ts'
import { MOST_TASKS } from './rest-text.ts'

const REFRESH_MS = 4_000
const MOST_TEAMS = 200

/** Below which everything about a team is kept, so that one event makes all of it fresh. */
export function teamKey(id: string): readonly string[] {
  return ['teams', 'one', id]
}

export function teamPath(id: string, rest = ''): string {
  return `/teams/${encodeURIComponent(id)}${rest}`
}

export function teamsQuery() {
  return queryOptions({
    queryKey: ['teams', 'list'],
    queryFn: ({ signal }) =>
      request<TeamSummary[]>('teams', '/teams', { query: { limit: MOST_TEAMS }, signal }),
    refetchInterval: REFRESH_MS,
  })
}

export function teamQuery(id: string) {
  return queryOptions({
    queryKey: [...teamKey(id), 'team'],
    queryFn: ({ signal }) => request<Team>('teams', teamPath(id), { signal }),
    refetchInterval: REFRESH_MS,
  })
}

export function metricsQuery(id: string) {
  return queryOptions({
    queryKey: [...teamKey(id), 'metrics'],
    queryFn: ({ signal }) => request<TeamMetrics>('teams', teamPath(id, '/metrics'), { signal }),
    refetchInterval: REFRESH_MS,
  })
}

/** The newest, where there are more than fit on a board. */
export function tasksQuery(id: string) {
  return queryOptions({
    queryKey: [...teamKey(id), 'tasks'],
    queryFn: async ({ signal }) => {
      const path = teamPath(id, '/tasks')
      const first = await request<Task[]>('teams', path, { query: { limit: MOST_TASKS }, signal })
      if (first.length < MOST_TASKS) return first
      const { tasks_total } = await request<TeamMetrics>('teams', teamPath(id, '/metrics'), { signal })
      const offset = Math.max(0, tasks_total - MOST_TASKS)
      return offset === 0
        ? first
        : request<Task[]>('teams', path, { query: { limit: MOST_TASKS, offset }, signal })
    },
    refetchInterval: REFRESH_MS,
  })
}
