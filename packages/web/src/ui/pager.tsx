import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'

export interface PagerProps {
  readonly total: number
  readonly offset: number
  readonly limit: number
  /** Of what is counted, e.g. `tools`. */
  readonly what: string
  readonly onMove: (offset: number) => void
}

/** Which part of a long list is shown, and the way to the parts beside it. */
export function Pager({ total, offset, limit, what, onMove }: PagerProps) {
  const last = Math.min(offset + limit, total)
  return (
    <nav aria-label={`Pages of ${what}`} className="flex items-center justify-between gap-3">
      <p role="status" className="text-sm text-quiet tabular-nums">
        {total > limit ? `${offset + 1} to ${last} of ${total} ${what}` : `${total} ${what}`}
      </p>
      {total > limit && (
        <span className="flex gap-2">
          <Button size="small" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
            <ChevronLeft aria-hidden /> Previous
          </Button>
          <Button size="small" disabled={last >= total} onClick={() => onMove(offset + limit)}>
            Next <ChevronRight aria-hidden />
          </Button>
        </span>
      )}
    </nav>
  )
}
