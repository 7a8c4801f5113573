import type { Tool } from '@quire/composer/contract'
import { Badge } from '../ui/badge.tsx'

/** Nothing for a tool that is as it was first seen. */
export function ToolTrust({ trust }: Pick<Tool, 'trust'>) {
  if (trust === 'known') return undefined
  return trust === 'blocked' ? <Badge tone="bad">Blocked</Badge> : <Badge tone="warn">Changed</Badge>
}
