import type { Agent } from '@quire/runtime/contract'
import { ArrowDown } from 'lucide-react'
import { useCallback, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Failure, Loading } from '../../ui/state.tsx'
import { ModelHelp, ModelNotice } from '../model-notice.tsx'
import { Beginning } from './beginning.tsx'
import { ChatItems } from './chat-items.tsx'
import { ChatNotice } from './chat-notice.tsx'
import { MessageBox } from './message-box.tsx'
import { ProposeContext } from './propose.ts'
import { useChat } from './use-chat.ts'
import { useFollow } from './use-follow.ts'

export interface ChatPaneProps {
  readonly agent: Agent
  readonly conversationId: string
  readonly isNew: boolean
  readonly usedAt: string | undefined
  /** Stands in the box, and is sent by a person or not at all. */
  readonly proposal?: string | undefined
  /** The first message is on its way. */
  readonly onBegin: () => void
}

export function ChatPane({ agent, conversationId, isNew, usedAt, proposal = '', onBegin }: ChatPaneProps) {
  const { chat, view } = useChat({ agentId: agent.id, conversationId, isNew, usedAt })
  const { isAtEnd, goToEnd } = useFollow(view)
  const isBusy = view.phase === 'running' || view.phase === 'waiting'

  const [written, setWritten] = useState({ times: 0, text: proposal })
  const propose = useCallback((text: string) => setWritten(({ times }) => ({ times: times + 1, text })), [])

  function send(text: string): void {
    void chat.send(text)
    setWritten((before) => ({ ...before, text: '' }))
    goToEnd()
    if (isNew) onBegin()
  }

  if (view.phase === 'loading') return <Loading what="the conversation" />
  if (view.phase === 'absent')
    return <Failure error={new Error(view.problem?.detail)} onRetry={() => chat.refresh()} />
  return (
    <div className="-mb-4 flex min-h-[calc(100dvh-13rem)] min-w-0 flex-col gap-4 md:-mb-8 lg:min-h-[calc(100dvh-6.75rem)]">
      <div className="flex flex-1 flex-col gap-4">
        {view.items.length === 0 ? (
          <Beginning agent={agent} onAsk={send} />
        ) : (
          <ProposeContext value={propose}>
            <ChatItems
              items={view.items}
              agent={agent}
              conversationId={conversationId}
              isRunning={view.phase === 'running'}
              onDecide={chat.decide}
            />
          </ProposeContext>
        )}
        <ChatNotice view={view} help={<ModelHelp model={agent.model} />} onSend={send} />
      </div>
      {view.problem === undefined && <ModelNotice model={agent.model} />}
      <div className="sticky bottom-0 -mx-4 flex flex-col bg-ground px-4 pt-1 pb-4">
        {!isAtEnd && view.items.length > 0 && (
          <Button
            size="small"
            className="absolute -top-10 left-1/2 -translate-x-1/2 rounded-full shadow-md"
            onClick={goToEnd}
          >
            <ArrowDown aria-hidden /> To the end
          </Button>
        )}
        <MessageBox
          // What could not be sent is put back, what is proposed is put in.
          key={`${written.times} ${view.problem?.unsent ?? ''}`}
          initial={view.problem?.unsent ?? (isNew || written.times > 0 ? written.text : '')}
          name={agent.name}
          isBusy={isBusy}
          isWaiting={view.phase === 'waiting'}
          onSend={send}
          onCancel={() => void chat.cancel()}
        />
      </div>
    </div>
  )
}
