import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react'
import type { LogView } from './log-book.ts'
import type { LogEntry } from './log-filter.ts'
import { LogRow, ROW_PIXELS } from './log-row.tsx'

export interface LogTableProps {
  readonly view: LogView
  /** Stays at the newest line. */
  readonly isFollowing: boolean
  readonly onFollow: (isFollowing: boolean) => void
  readonly chosen: LogEntry | undefined
  readonly onChoose: (entry: LogEntry) => void
}

const OVERSCAN = 8
const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -20,
  PageDown: 20,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** Only the lines that can be seen are in the page; all rows are of one height, so nothing is measured. */
export function LogTable({ view, isFollowing, onFollow, chosen, onChoose }: LogTableProps) {
  const { shown, removed } = view
  const element = useRef<HTMLDivElement>(null)
  const before = useRef({ top: 0, removed })
  const id = useId()
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => element.current,
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new view may have brought lines
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const gone = removed - before.current.removed
    before.current.removed = removed
    if (isFollowing) current.scrollTop = current.scrollHeight
    else if (gone > 0) current.scrollTop -= gone * ROW_PIXELS
  }, [view, isFollowing])

  function scrolled(): void {
    const { current } = element
    if (current === null) return
    const isAtEnd = current.scrollHeight - current.scrollTop - current.clientHeight < ROW_PIXELS
    const isUpward = current.scrollTop < before.current.top
    before.current.top = current.scrollTop
    if (isAtEnd) onFollow(true)
    // New lines make the end move away: only who scrolls back has left it.
    else if (isUpward) onFollow(false)
  }

  function pressed(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (step === undefined || shown.length === 0) return
    event.preventDefault()
    const from = chosen === undefined ? shown.length : indexOf(shown, chosen)
    const index = Math.max(0, Math.min(shown.length - 1, from + step))
    const next = shown[index]
    if (next === undefined) return
    if (step < 0) onFollow(false)
    onChoose(next)
    virtualizer.scrollToIndex(index)
  }

  const items = virtualizer.getVirtualItems()
  const isChosenHere = items.some(({ index }) => shown[index] === chosen)
  return (
    <div
      ref={element}
      role="listbox"
      aria-label="Log lines; arrow keys choose one"
      aria-activedescendant={isChosenHere ? `${id}${chosen?.sequence}` : undefined}
      tabIndex={0}
      onScroll={scrolled}
      onKeyDown={pressed}
      className="h-[calc(100dvh-18rem)] min-h-80 overflow-y-auto overflow-x-hidden rounded-lg border bg-surface [contain:strict] [overflow-anchor:none]"
    >
      <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const entry = shown[index]
          return (
            entry && (
              <LogRow
                // By its place: rows are written anew as lines run by, and not made.
                key={index % items.length}
                id={`${id}${entry.sequence}`}
                entry={entry}
                top={start}
                isChosen={entry === chosen}
                onChoose={onChoose}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

/** By halves: the lines are in order. */
function indexOf(shown: readonly LogEntry[], { sequence }: LogEntry): number {
  let [low, high] = [0, shown.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((shown[middle]?.sequence ?? 0) < sequence) low = middle + 1
    else high = middle
  }
  return low
}
