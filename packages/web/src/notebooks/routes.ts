import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../app/lazy-page.ts'

export function notebookRoutes(root: AnyRoute): readonly AnyRoute[] {
  // Side by side, the second would be taken for the path of the first as well.
  const both = createRoute({ getParentRoute: () => root, path: '/notebooks' })
  return [
    both.addChildren([
      lazyPage(both, '/', () => import('./notebooks-page.tsx'), 'NotebooksPage'),
      lazyPage(both, '$', () => import('./notebook-page.tsx'), 'NotebookPage'),
    ]),
  ]
}
