import type { AgentSummary } from '@quire/runtime/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageSquare, Pencil, Trash2 } from 'lucide-react'
import { Button, buttonLook } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { needsOf } from './model-needs.ts'
import { configurationQuery } from './queries.ts'
import { ToolsetBadges } from './toolset-badges.tsx'

export interface AgentCardProps {
  readonly agent: AgentSummary
  readonly onEdit: () => void
  readonly onDelete: () => void
}

export function AgentCard({ agent, onEdit, onDelete }: AgentCardProps) {
  const { data } = useQuery(configurationQuery)
  const needs = data && needsOf(agent.model, data.models)
  return (
    <Card className="flex h-full flex-col gap-3" aria-label={agent.name}>
      <header className="min-w-0">
        <h2 className="truncate font-semibold" title={agent.name}>
          <Link to="/agents/$id" params={{ id: agent.id } as never} className="hover:underline">
            {agent.name}
          </Link>
        </h2>
        <p className="truncate font-mono text-sm text-quiet" title={agent.model}>
          {agent.model}
        </p>
      </header>
      {agent.description !== '' && (
        <p dir="auto" className="line-clamp-3 text-sm break-words">
          {agent.description}
        </p>
      )}
      {needs && <p className="text-sm wrap-anywhere text-warn">It needs a key: {needs.join(', ')}</p>}
      <ToolsetBadges names={agent.mcp_toolsets} />
      {agent.tool_approval && <p className="text-sm text-quiet">Asks before each call of a tool.</p>}
      <footer className="mt-auto flex flex-wrap gap-2">
        <Link
          to="/agents/$id"
          params={{ id: agent.id } as never}
          className={buttonLook({ kind: 'primary', size: 'small' })}
        >
          <MessageSquare className="size-4" aria-hidden /> Talk
        </Link>
        <Button size="small" onClick={onEdit} aria-label={`Edit ${agent.name}`}>
          <Pencil aria-hidden /> Edit
        </Button>
        <Button
          size="small"
          kind="quiet"
          className="ml-auto"
          onClick={onDelete}
          aria-label={`Delete ${agent.name}`}
        >
          <Trash2 aria-hidden />
        </Button>
      </footer>
    </Card>
  )
}
