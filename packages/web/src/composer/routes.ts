import type { AnyRoute } from '@tanstack/react-router'
import { lazyPage } from '../app/lazy-page.ts'
import { isOnlyServed, isServed } from '../services/served.ts'

export function composerRoutes(root: AnyRoute): readonly AnyRoute[] {
  if (!isServed('composer')) return []
  return [
    lazyPage(
      root,
      isOnlyServed('composer') ? '/' : '/composer',
      () => import('./dashboard/dashboard-page.tsx'),
      'DashboardPage',
    ),
    lazyPage(root, '/servers', () => import('./servers-page.tsx'), 'ServersPage'),
    lazyPage(root, '/servers/$id', () => import('./server-page.tsx'), 'ServerPage'),
    lazyPage(root, '/tools', () => import('./tools-page.tsx'), 'ToolsPage'),
    lazyPage(root, '/tools/$name', () => import('./tool/tool-page.tsx'), 'ToolPage'),
    lazyPage(root, '/translators', () => import('./translators-page.tsx'), 'TranslatorsPage'),
    lazyPage(
      root,
      '/configuration',
      () => import('./configuration/configuration-page.tsx'),
      'ConfigurationPage',
    ),
    lazyPage(root, '/logs', () => import('./logs/logs-page.tsx'), 'LogsPage'),
    lazyPage(root, '/metrics', () => import('./metrics/metrics-page.tsx'), 'MetricsPage'),
  ]
}
