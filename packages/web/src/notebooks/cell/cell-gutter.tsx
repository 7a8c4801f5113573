import { LoaderCircle, Play } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import type { CellType } from '../live/cells.ts'

export type RunState = 'idle' | 'queued' | 'running'

export interface CellGutterProps {
  readonly type: CellType
  readonly label: string
  readonly count: number | undefined
  readonly state: RunState
  readonly onRun: () => void
}

/** Beside a cell: its run, and how to run it. */
export function CellGutter({ type, label, count, state, onRun }: CellGutterProps) {
  if (type !== 'code') return <div />
  return (
    <div className="flex flex-col items-center gap-0.5 pt-1">
      <Button
        kind="quiet"
        size="icon"
        className="size-8"
        aria-label={`Run ${label.toLowerCase()}`}
        disabled={state !== 'idle'}
        onClick={onRun}
      >
        {state === 'running' ? (
          <LoaderCircle className="animate-spin text-busy" aria-hidden />
        ) : (
          <Play aria-hidden />
        )}
      </Button>
      <span className="text-xs text-quiet tabular-nums" role="status">
        {toWords(state, count)}
      </span>
    </div>
  )
}

function toWords(state: RunState, count: number | undefined): string {
  if (state === 'running') return 'runs'
  if (state === 'queued') return 'waits'
  return count === undefined ? '' : `[${count}]`
}
