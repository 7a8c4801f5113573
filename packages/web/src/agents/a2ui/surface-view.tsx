import type { ClientAction } from '@quire/runtime/contract/a2ui'
import { useCallback, useEffect, useRef, useState } from 'react'
import { readEvents } from '../../services/event-stream.ts'
import { Empty, Failure, Loading } from '../../ui/state.tsx'
import { A2uiSurfaces } from './a2ui-surfaces.tsx'
import { isMessage, type Surfaces, takeMessage } from './surface.ts'

const VERSION = 'v0.9.1'
const NOTHING: Surfaces = new Map()

export interface SurfaceViewProps {
  readonly agentId: string
  readonly conversationId: string
}

/** The last turn of a conversation as a surface of A2UI, and what is done on it. */
export function SurfaceView({ agentId, conversationId }: SurfaceViewProps) {
  const [surfaces, setSurfaces] = useState(NOTHING)
  const [isReading, setReading] = useState(true)
  const [failure, setFailure] = useState<unknown>()
  const reader = useRef<AbortController>(undefined)

  const show = useCallback(
    async (said: { readonly version?: string; readonly action?: ClientAction }) => {
      reader.current?.abort()
      reader.current = new AbortController()
      const { signal } = reader.current
      setReading(true)
      setFailure(undefined)
      try {
        const path = `/api/v1/a2ui/agents/${encodeURIComponent(agentId)}`
        const body = { ...said, conversation_id: conversationId }
        for await (const { data } of readEvents('runtime', path, { method: 'POST', body, signal })) {
          const message: unknown = JSON.parse(data)
          if (isMessage(message)) setSurfaces((before) => takeMessage(before, message))
        }
      } catch (error) {
        if (!signal.aborted) setFailure(error)
      }
      if (!signal.aborted) setReading(false)
    },
    [agentId, conversationId],
  )

  useEffect(() => {
    void show({})
    return () => reader.current?.abort()
  }, [show])

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <A2uiSurfaces surfaces={surfaces} onAction={(action) => void show({ version: VERSION, action })} />
      {isReading && surfaces.size === 0 && <Loading what="the surface" />}
      {!isReading && failure === undefined && surfaces.size === 0 && (
        <Empty title="The last turn shows nothing.">Go back to the chat and ask something.</Empty>
      )}
      {failure !== undefined && <Failure error={failure} onRetry={() => void show({})} />}
    </div>
  )
}
