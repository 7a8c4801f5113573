import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react'
import { CONVERSATIONS_KEY } from '../queries.ts'
import type { ChatView } from './chat-view.ts'
import { type Chat, createChat } from './create-chat.ts'

export interface UseChatOptions {
  readonly agentId: string
  readonly conversationId: string
  /** Nothing was said in it yet. */
  readonly isNew: boolean
  /** When somebody last used it, in this tab or another. */
  readonly usedAt: string | undefined
}

export function useChat({ agentId, conversationId, isNew, usedAt }: UseChatOptions): {
  readonly chat: Chat
  readonly view: ChatView
} {
  const queries = useQueryClient()
  const chat = useMemo(
    () =>
      createChat({
        agentId,
        conversationId,
        onChange: () => void queries.invalidateQueries({ queryKey: CONVERSATIONS_KEY }),
      }),
    [agentId, conversationId, queries],
  )
  const view = useSyncExternalStore(chat.subscribe, chat.getView)

  const open = useEffectEvent(() => chat.open(isNew))
  useEffect(() => {
    open()
    return chat.close
  }, [chat])

  const isOld = usedAt !== undefined && usedAt > (view.updatedAt ?? '') && view.phase !== 'running'
  useEffect(() => {
    if (isOld) chat.refresh()
  }, [chat, isOld])

  return { chat, view }
}
