import type { Agent } from '@quire/runtime/contract'
import { memo } from 'react'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { UsageText } from '../usage-text.tsx'
import type { Answer, ChatItem, Question } from './chat-item.ts'
import type { Decision } from './create-chat.ts'
import { ToolCall } from './tool-call.tsx'

export interface ChatItemsProps {
  readonly items: readonly ChatItem[]
  readonly agent: Agent
  readonly conversationId: string
  readonly isRunning: boolean
  readonly onDecide: (callId: string, decision: Decision) => Promise<void>
}

export function ChatItems({ items, agent, conversationId, isRunning, onDecide }: ChatItemsProps) {
  const last = items.at(-1)
  return (
    <ol aria-label="Messages" className="flex flex-col gap-6">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows at its end
        <li key={index} className="min-w-0">
          {item.kind === 'question' ? (
            <QuestionView item={item} />
          ) : (
            <AnswerView
              item={item}
              name={agent.name}
              conversationId={conversationId}
              isRunning={isRunning && item === last}
              onDecide={onDecide}
            />
          )}
        </li>
      ))}
      {isRunning && last?.kind === 'question' && (
        <li>
          <Thinking />
        </li>
      )}
    </ol>
  )
}

const QuestionView = memo(function QuestionView({ item }: { readonly item: Question }) {
  return (
    <div className="flex justify-end">
      <div
        dir="auto"
        className="max-w-[85%] rounded-2xl rounded-br-sm bg-raised px-4 py-2 wrap-anywhere whitespace-pre-wrap"
      >
        <span className="sr-only">You: </span>
        {item.text}
      </div>
    </div>
  )
})

interface AnswerViewProps extends Pick<ChatItemsProps, 'conversationId' | 'isRunning' | 'onDecide'> {
  readonly item: Answer
  readonly name: string
}

const AnswerView = memo(function AnswerView({
  item,
  name,
  conversationId,
  isRunning,
  onDecide,
}: AnswerViewProps) {
  const { parts, usage } = item
  return (
    <article aria-label={name} aria-busy={isRunning} className="flex min-w-0 flex-col gap-3">
      {parts.map((part, index) =>
        part.kind === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer only grows at its end
          <Markdown key={index} text={part.text} />
        ) : (
          <ToolCall key={part.id} call={part} conversationId={conversationId} onDecide={onDecide} />
        ),
      )}
      {isRunning && parts.at(-1)?.kind !== 'text' && <Thinking />}
      {usage && !isRunning && (
        <p className="text-xs">
          <UsageText usage={usage} what="this answer" />
        </p>
      )}
    </article>
  )
})

function Thinking() {
  return (
    <p role="status" className="flex items-center gap-1 py-2">
      <span className="sr-only">At work …</span>
      {['', '[animation-delay:150ms]', '[animation-delay:300ms]'].map((delay) => (
        <span key={delay} className={`size-1.5 animate-pulse rounded-full bg-quiet ${delay}`} aria-hidden />
      ))}
    </p>
  )
}
