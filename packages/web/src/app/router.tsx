import { createRootRoute, createRouter } from '@tanstack/react-router'
import { agentRoutes } from '../agents/routes.ts'
import { composerRoutes } from '../composer/routes.ts'
import { homeRoutes } from '../home/routes.ts'
import { notebookRoutes } from '../notebooks/routes.ts'
import { SERVED } from '../services/served.ts'
import { teamRoutes } from '../teams/routes.ts'
import { Failure } from '../ui/state.tsx'
import { Shell } from './shell.tsx'
import { Unknown } from './unknown.tsx'

/** Every area brings its own pages, each loaded when it is first shown. */
export function createQuireRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: Unknown })
  return createRouter({
    routeTree: root.addChildren([
      ...homeRoutes(root),
      ...composerRoutes(root),
      ...agentRoutes(root),
      ...teamRoutes(root),
      ...notebookRoutes(root),
    ]),
    basepath: SERVED.base,
    defaultPreload: 'intent',
    defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
    scrollRestoration: true,
  })
}
