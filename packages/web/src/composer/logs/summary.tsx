import type { SocketState } from '../../services/use-socket.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { toCount } from '../../ui/count.ts'
import type { LogView } from './log-book.ts'

const STATES: Readonly<Record<SocketState, { readonly tone: Tone; readonly text: string }>> = {
  connecting: { tone: 'quiet', text: 'Connecting' },
  open: { tone: 'good', text: 'Live' },
  away: { tone: 'warn', text: 'Connecting again' },
}

/** How many lines there are, of which weight. */
export function LogSummary({ view, state }: { readonly view: LogView; readonly state: SocketState }) {
  const { shown, kept, counts, held, isPaused, isSearching } = view
  const errors = counts.ERROR + counts.CRITICAL
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-quiet tabular-nums">
      {isPaused ? (
        <Badge tone="warn">Paused, {held.toLocaleString()} more</Badge>
      ) : (
        <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
      )}
      <span>
        {shown.length === kept
          ? toCount(kept, 'line')
          : `${shown.length.toLocaleString()} of ${toCount(kept, 'line')}`}
      </span>
      {errors > 0 && <span className="text-bad">{toCount(errors, 'error')}</span>}
      {counts.WARNING > 0 && <span className="text-warn">{toCount(counts.WARNING, 'warning')}</span>}
      {isSearching && <span>searching …</span>}
    </p>
  )
}
