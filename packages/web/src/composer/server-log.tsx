import type { LogMessage } from '@quire/composer/contract'
import { useLayoutEffect, useRef } from 'react'
import { Badge } from '../ui/badge.tsx'
import { joinClasses } from '../ui/join-classes.ts'
import { toClock } from '../ui/time.ts'
import { useServerLog } from './use-server-log.ts'

const TONES: Readonly<Record<LogMessage['level'], string>> = {
  DEBUG: 'text-quiet',
  INFO: '',
  WARNING: 'text-warn',
  ERROR: 'text-bad',
  CRITICAL: 'text-bad font-semibold',
}
const NEAR_END_PX = 40

/** The tail of what a server says, and of what happens to it. It follows its end, unless somebody has scrolled away from it. */
export function ServerLog({ server }: { readonly server: string }) {
  const { lines, lost, state } = useServerLog(server)
  const view = useRef<HTMLElement>(null)
  const isFollowing = useRef(true)
  useLayoutEffect(() => {
    if (isFollowing.current && lines.length > 0) view.current?.scrollTo({ top: view.current.scrollHeight })
  }, [lines])

  function watch({ currentTarget }: { currentTarget: HTMLElement }): void {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget
    isFollowing.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
  }

  return (
    <div className="flex flex-1 flex-col gap-2">
      <section
        ref={view}
        aria-label={`Log of ${server}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
        tabIndex={0}
        onScroll={watch}
        className="max-h-72 min-h-32 flex-1 overflow-auto rounded-md border bg-raised p-3 font-mono text-[0.8125rem]"
      >
        {lines.length === 0 ? (
          <p className="font-sans text-quiet">It has said nothing yet.</p>
        ) : (
          <ol>
            {lines.map(({ id, timestamp, level, message }) => (
              <li key={id} className={joinClasses('flex gap-3', TONES[level])}>
                <time dateTime={timestamp} className="shrink-0 text-quiet">
                  {toClock(timestamp)}
                </time>
                <span className="min-w-0 break-words whitespace-pre-wrap">{message}</span>
              </li>
            ))}
          </ol>
        )}
      </section>
      {state === 'away' && (
        <Badge tone="warn" className="self-start">
          The connection is lost and is being made again
        </Badge>
      )}
      {lost > 0 && <p className="text-sm text-warn">{lost} lines came too fast and are not shown.</p>}
    </div>
  )
}
