import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../app/lazy-page.ts'
import { isServed } from '../services/served.ts'

export function agentRoutes(root: AnyRoute): readonly AnyRoute[] {
  if (!isServed('runtime')) return []
  const chat = lazyPage(root, '/agents/$id', () => import('./chat-page.tsx'), 'ChatPage')
  // One page for both, so that it stays as it is when a new conversation gets its address.
  const addresses = ['/', 'c/$conversation'].map((path) => createRoute({ getParentRoute: () => chat, path }))
  return [
    lazyPage(root, '/agents', () => import('./agents-page.tsx'), 'AgentsPage'),
    chat.addChildren(addresses),
  ]
}
