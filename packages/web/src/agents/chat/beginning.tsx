import type { Agent } from '@quire/runtime/contract'
import { Bot } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { ToolsetBadges } from '../toolset-badges.tsx'

export interface BeginningProps {
  readonly agent: Agent
  readonly onAsk: (text: string) => void
}

const FIRST_QUESTION = 'What can you do?'

export function Beginning({ agent, onAsk }: BeginningProps) {
  return (
    <div className="flex flex-col items-center gap-3 py-12 text-center">
      <span className="grid size-12 place-items-center rounded-full bg-accent/10 text-accent">
        <Bot className="size-6" aria-hidden />
      </span>
      <p className="text-lg font-medium">Talk to {agent.name}</p>
      {agent.description !== '' && (
        <p dir="auto" className="max-w-prose break-words text-quiet">
          {agent.description}
        </p>
      )}
      <ToolsetBadges names={agent.mcp_toolsets} />
      <Button onClick={() => onAsk(FIRST_QUESTION)}>{FIRST_QUESTION}</Button>
    </div>
  )
}
