import type { ConversationSummary } from '@quire/runtime/contract/conversations'
import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronDown, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { request } from '../../services/request.ts'
import { announce } from '../../ui/announce.ts'
import { Asked } from '../../ui/asked.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { joinClasses } from '../../ui/join-classes.ts'
import { Failure } from '../../ui/state.tsx'
import { toShortTime } from '../../ui/time.ts'
import { CONVERSATIONS_KEY, conversationPath } from '../queries.ts'
import type { ConversationList as Conversations } from '../types.ts'

const STATUSES: Readonly<
  Partial<Record<ConversationSummary['status'], { readonly tone: Tone; readonly text: string }>>
> = {
  running: { tone: 'busy', text: 'Running' },
  waiting: { tone: 'warn', text: 'Waits for you' },
  failed: { tone: 'bad', text: 'Failed' },
  interrupted: { tone: 'warn', text: 'Interrupted' },
  cancelled: { tone: 'quiet', text: 'Cancelled' },
}

export interface ConversationListProps {
  readonly agentId: string
  readonly current: string | undefined
  readonly query: UseQueryResult<Conversations>
  readonly onMore: () => void
  readonly onDeleted: (id: string) => void
}

export function ConversationList({ agentId, current, query, onMore, onDeleted }: ConversationListProps) {
  const [isOpen, setOpen] = useState(false)
  const [doomed, setDoomed] = useState<ConversationSummary>()
  const listId = useId()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: ConversationSummary) =>
      request('runtime', conversationPath(id), { method: 'DELETE' }),
    onSuccess(_, { id }) {
      announce('The conversation was deleted.')
      onDeleted(id)
    },
    onSettled: () => {
      setDoomed(undefined)
      return queries.invalidateQueries({ queryKey: CONVERSATIONS_KEY })
    },
  })
  return (
    <nav aria-label="Conversations" className="flex min-w-0 flex-col gap-2 lg:sticky lg:top-4 lg:self-start">
      <Button
        className="justify-between lg:hidden"
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setOpen(!isOpen)}
      >
        Conversations {query.data && `(${query.data.total})`} <ChevronDown aria-hidden />
      </Button>
      <div
        id={listId}
        className={joinClasses(
          'max-h-[40dvh] flex-col gap-1 overflow-y-auto lg:flex lg:max-h-[calc(100dvh-4rem)]',
          isOpen ? 'flex' : 'hidden',
        )}
      >
        <h2 className="hidden px-2 text-xs font-medium text-quiet lg:block">Conversations</h2>
        {remove.isError && <Failure error={remove.error} />}
        <Asked query={query} what="the conversations">
          {({ conversations, total }) => (
            <>
              {total === 0 && <p className="px-2 text-sm text-quiet">None yet. Write to begin one.</p>}
              <ul className="flex flex-col gap-0.5">
                {conversations.map((conversation) => (
                  <Entry
                    key={conversation.id}
                    agentId={agentId}
                    conversation={conversation}
                    isCurrent={conversation.id === current}
                    onChosen={() => setOpen(false)}
                    onDelete={() => setDoomed(conversation)}
                  />
                ))}
              </ul>
              {conversations.length < total && (
                <Button kind="quiet" size="small" onClick={onMore}>
                  Show more of {total}
                </Button>
              )}
            </>
          )}
        </Asked>
      </div>
      {doomed && (
        <Confirm
          title="Delete the conversation?"
          description={`“${doomed.title}” is deleted with all it holds. A turn under way is cancelled.`}
          action="Delete it"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(doomed)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </nav>
  )
}

interface EntryProps {
  readonly agentId: string
  readonly conversation: ConversationSummary
  readonly isCurrent: boolean
  readonly onChosen: () => void
  readonly onDelete: () => void
}

function Entry({ agentId, conversation, isCurrent, onChosen, onDelete }: EntryProps) {
  const { id, title, updated_at } = conversation
  const status = STATUSES[conversation.status]
  return (
    <li
      className={joinClasses(
        'group flex items-center gap-1 rounded-md pr-1 hover:bg-raised',
        isCurrent && 'bg-raised',
      )}
    >
      <Link
        to="/agents/$id/c/$conversation"
        params={{ id: agentId, conversation: id } as never}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onChosen}
        className="min-w-0 flex-1 rounded-md px-2 py-1.5"
      >
        <span dir="auto" className="block truncate text-sm" title={title}>
          {title === '' ? id : title}
        </span>
        <span className="flex items-center gap-2 text-xs text-quiet">
          <time dateTime={updated_at}>{toShortTime(updated_at)}</time>
          {status && <Badge tone={status.tone}>{status.text}</Badge>}
        </span>
      </Link>
      <Button
        kind="quiet"
        size="icon"
        className="size-7 lg:opacity-0 lg:group-focus-within:opacity-100 lg:group-hover:opacity-100"
        aria-label={`Delete the conversation ${title}`}
        onClick={onDelete}
      >
        <Trash2 aria-hidden />
      </Button>
    </li>
  )
}
