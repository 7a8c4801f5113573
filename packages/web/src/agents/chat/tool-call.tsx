import { ChevronRight, Hand, LoaderCircle, Wrench } from 'lucide-react'
import { memo } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Code, toPrettyJson } from '../../ui/code.tsx'
import { ToolApps } from '../apps/tool-apps.tsx'
import { Approval } from './approval.tsx'
import type { CallPart } from './chat-item.ts'
import type { Decision } from './create-chat.ts'
import { ResultBlocks } from './result-blocks.tsx'

export interface ToolCallProps {
  readonly call: CallPart
  readonly conversationId: string
  readonly onDecide: (callId: string, decision: Decision) => Promise<void>
}

/** Folded: what was called and how it stands. Unfolded: its arguments and its result. */
export const ToolCall = memo(function ToolCall({ call, conversationId, onDecide }: ToolCallProps) {
  const { name, args, result, status } = call
  const Icon = status === 'waiting' ? Hand : status === 'complete' ? Wrench : LoaderCircle
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <details className="group min-w-0 rounded-lg border bg-surface">
        <summary className="flex cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-2 text-sm">
          <ChevronRight className="size-4 shrink-0 text-quiet group-open:rotate-90" aria-hidden />
          <Icon
            className={`size-4 shrink-0 text-quiet ${Icon === LoaderCircle ? 'animate-spin' : ''}`}
            aria-hidden
          />
          <span className="min-w-0 truncate font-mono" title={name}>
            {name}
          </span>
          <StatusBadge call={call} />
        </summary>
        <div className="flex min-w-0 flex-col gap-3 border-t p-3">
          <Code text={toPrettyJson(args)} label="arguments" className="max-h-64" />
          {result && <ResultBlocks result={result} />}
        </div>
      </details>
      {status === 'waiting' && <Approval call={call} onDecide={onDecide} />}
      {result && <ToolApps call={call} result={result} conversationId={conversationId} />}
    </div>
  )
})

function StatusBadge({ call: { status, result } }: { readonly call: CallPart }) {
  if (status === 'waiting') return <Badge tone="warn">Waits for you</Badge>
  if (status === 'decided') return <Badge tone="quiet">Decided</Badge>
  if (status === 'running') return <Badge tone="busy">Running</Badge>
  return result?.isError ? <Badge tone="bad">Failed</Badge> : <Badge tone="good">Done</Badge>
}
