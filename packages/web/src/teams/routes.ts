import type { AnyRoute } from '@tanstack/react-router'
import { lazyPage } from '../app/lazy-page.ts'
import { isServed } from '../services/served.ts'

export function teamRoutes(root: AnyRoute): readonly AnyRoute[] {
  if (!isServed('teams')) return []
  return [
    lazyPage(root, '/teams', () => import('./teams-page.tsx'), 'TeamsPage'),
    lazyPage(root, '/teams/new', () => import('./new-team-page.tsx'), 'NewTeamPage'),
    lazyPage(root, '/teams/$id', () => import('./team-page.tsx'), 'TeamPage'),
  ]
}
