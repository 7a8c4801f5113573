import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AppWindow, MessagesSquare, Pencil, SquarePen } from 'lucide-react'
import { useState } from 'react'
import { Asked } from '../ui/asked.tsx'
import { buttonLook } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { toText } from '../ui/to-text.ts'
import { SurfaceView } from './a2ui/surface-view.tsx'
import { ChatPane } from './chat/chat-pane.tsx'
import { createConversationId } from './chat/conversation-id.ts'
import { ConversationList } from './chat/conversation-list.tsx'
import { agentQuery, conversationsQuery } from './queries.ts'
import { UsageText } from './usage-text.tsx'

const CONVERSATIONS_PER_PAGE = 50
/** Of `?view=`: the last turn as the service offers it to renderers of A2UI. */
const SURFACE = 'a2ui'

export function ChatPage() {
  const { id = '', conversation } = useParams({ strict: false }) as {
    readonly id?: string
    readonly conversation?: string
  }
  const { view, ask } = useSearch({ strict: false }) as { readonly view?: string; readonly ask?: unknown }
  const isSurface = view === SURFACE && conversation !== undefined
  const navigate = useNavigate()
  const agent = useQuery(agentQuery(id))
  const [limit, setLimit] = useState(CONVERSATIONS_PER_PAGE)
  const conversations = useQuery(conversationsQuery(id, limit))
  const [draft, setDraft] = useState(createConversationId)
  // The draft has become a conversation: the next one needs another name.
  if (conversation === draft) setDraft(createConversationId())
  const current = conversations.data?.conversations.find((one) => one.id === conversation)

  return (
    <Page
      title={agent.data?.name ?? id}
      note={
        agent.data && (
          <span className="flex flex-wrap gap-x-3 text-sm">
            <span className="font-mono">{agent.data.model}</span>
            {current && <UsageText usage={current.usage} what="this conversation" />}
          </span>
        )
      }
      actions={
        <>
          {conversation !== undefined && (
            <Link
              to="/agents/$id/c/$conversation"
              params={{ id, conversation } as never}
              search={(isSurface ? {} : { view: SURFACE }) as never}
              className={buttonLook({ kind: 'quiet' })}
            >
              {isSurface ? (
                <>
                  <MessagesSquare aria-hidden /> As a chat
                </>
              ) : (
                <>
                  <AppWindow aria-hidden /> As A2UI
                </>
              )}
            </Link>
          )}
          <Link to="/agents" search={{ edit: id } as never} className={buttonLook()}>
            <Pencil className="size-4" aria-hidden /> Edit
          </Link>
          <Link to="/agents/$id" params={{ id } as never} className={buttonLook()}>
            <SquarePen className="size-4" aria-hidden />
            <span>
              New<span className="max-sm:sr-only"> conversation</span>
            </span>
          </Link>
        </>
      }
    >
      <div className="grid min-w-0 gap-6 lg:grid-cols-[15rem_minmax(0,1fr)]">
        <ConversationList
          agentId={id}
          current={conversation}
          query={conversations}
          onMore={() => setLimit(limit + CONVERSATIONS_PER_PAGE)}
          onDeleted={(deleted) => {
            if (deleted === conversation) void navigate({ to: '/agents/$id', params: { id } as never })
          }}
        />
        <Asked query={agent} what="the agent">
          {(agent) =>
            isSurface ? (
              <SurfaceView key={conversation} agentId={agent.id} conversationId={conversation} />
            ) : (
              <ChatPane
                key={conversation ?? draft}
                agent={agent}
                conversationId={conversation ?? draft}
                isNew={conversation === undefined}
                usedAt={current?.updated_at}
                proposal={toText(ask) || undefined}
                onBegin={() =>
                  void navigate({
                    to: '/agents/$id/c/$conversation',
                    params: { id, conversation: conversation ?? draft } as never,
                  })
                }
              />
            )
          }
        </Asked>
      </div>
    </Page>
  )
}
