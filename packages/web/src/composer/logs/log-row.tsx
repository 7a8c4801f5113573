import { memo } from 'react'
import { joinClasses } from '../../ui/join-classes.ts'
import { toExactClock } from '../../ui/time.ts'
import type { LogEntry, LogLevel } from './log-filter.ts'

export interface LogRowProps {
  readonly id: string
  readonly entry: LogEntry
  readonly top: number
  readonly isChosen: boolean
  readonly onChoose: (entry: LogEntry) => void
}

export const ROW_PIXELS = 26

const COLOURS: Readonly<Record<LogLevel, string>> = {
  DEBUG: 'text-quiet',
  INFO: 'text-busy',
  WARNING: 'text-warn',
  ERROR: 'text-bad',
  CRITICAL: 'text-bad font-semibold',
}

export const LogRow = memo(function LogRow({ id, entry, top, isChosen, onChoose }: LogRowProps) {
  const { kind, timestamp, level, server, message } = entry
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list that it stands in has the focus and the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={() => onChoose(entry)}
      style={{ top, height: ROW_PIXELS }}
      className={joinClasses(
        'absolute inset-x-0 flex items-center gap-3 px-3 [contain:strict] font-mono text-xs whitespace-nowrap outline-none hover:bg-raised',
        kind === 'note' && 'bg-warn/10 text-warn',
        isChosen && 'bg-accent/15 hover:bg-accent/15',
      )}
    >
      <span className="shrink-0 text-quiet tabular-nums">{toExactClock(timestamp)}</span>
      {kind === 'line' && (
        <>
          <span className={joinClasses('w-[1ch] shrink-0 overflow-hidden sm:w-16', COLOURS[level])}>
            {level}
          </span>
          <span className="hidden w-28 shrink-0 truncate text-quiet sm:inline">{server}</span>
        </>
      )}
      <bdi className="min-w-0 flex-1 truncate">{message.slice(0, MOST_SHOWN)}</bdi>
    </div>
  )
})

/** More than fits on any screen; all of a line is shown when it is chosen. */
const MOST_SHOWN = 400
