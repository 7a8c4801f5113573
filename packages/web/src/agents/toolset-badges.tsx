import { useQuery } from '@tanstack/react-query'
import { Badge } from '../ui/badge.tsx'
import { toolsetsQuery } from './queries.ts'

export const ALL_TOOLSETS = '*'

/** Which toolsets an agent has, and whether they can be used now. */
export function ToolsetBadges({ names }: { readonly names: readonly string[] }) {
  const { data } = useQuery(toolsetsQuery)
  const servers = data?.servers ?? {}
  const shown = names.includes(ALL_TOOLSETS) ? Object.keys(servers) : names
  if (shown.length === 0) return <p className="text-sm text-quiet">No tools.</p>
  return (
    <ul aria-label="Toolsets" className="flex flex-wrap gap-1.5">
      {shown.map((name) => {
        const server = servers[name]
        return (
          <li key={name} className="max-w-full">
            <Badge
              tone={server?.ready ? 'good' : server?.error || (data && !server) ? 'bad' : 'busy'}
              title={server?.error ?? undefined}
              className="max-w-full"
            >
              <span className="truncate">{name}</span>
              {server?.ready
                ? ` ${server.tools.length} tools`
                : server?.error
                  ? ' not ready'
                  : data && !server
                    ? ' is not there'
                    : ' starting'}
            </Badge>
          </li>
        )
      })}
    </ul>
  )
}
