import type { AnyRoute } from '@tanstack/react-router'
import { lazyPage } from '../app/lazy-page.ts'
import { isOnlyServed } from '../services/served.ts'

export function homeRoutes(root: AnyRoute): readonly AnyRoute[] {
  if (isOnlyServed('composer')) return []
  return [lazyPage(root, '/', () => import('./home-page.tsx'), 'HomePage')]
}
