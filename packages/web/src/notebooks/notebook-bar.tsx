import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronsRight, RotateCcw, Square, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/state.tsx'
import { KernelBadge } from './kernel-badge.tsx'
import { useCanUndo, useMovedTo, usePeopleTotal, useValue } from './live/hooks.ts'
import type { LiveState } from './live/live-notebook.ts'
import type { Person } from './live/person.ts'
import type { Runner } from './live/runner.ts'
import type { SharedNotebook } from './live/shared-notebook.ts'
import { titleOf } from './notebook-path.ts'
import { People } from './people.tsx'
import { RestartDialog } from './restart-dialog.tsx'

export interface NotebookBarProps {
  readonly path: string
  readonly shared: SharedNotebook
  readonly state: LiveState
  readonly people: readonly Person[]
  readonly runner: Runner
  readonly isRunning: boolean
  readonly onRunAll: () => void
}

export function NotebookBar({ path, shared, state, people, runner, isRunning, onRunAll }: NotebookBarProps) {
  const canUndo = useCanUndo(shared)
  const total = usePeopleTotal(shared)
  const movedTo = useMovedTo(shared, path)
  const [isAsking, setAsking] = useState(false)
  const interrupt = useMutation({ mutationFn: () => runner.interrupt() })
  const restart = useMutation({ mutationFn: () => runner.restart() })
  const isAway = state.phase !== 'open'
  const failed = [interrupt, restart].find(({ isError }) => isError)

  function stopRunning(): void {
    restart.reset()
    interrupt.mutate()
  }

  function askToRestart(): void {
    interrupt.reset()
    setAsking(true)
  }

  function restartNow(andRun: boolean): void {
    restart.mutate(undefined, {
      onSuccess: () => andRun && onRunAll(),
      onSettled: () => setAsking(false),
    })
  }

  return (
    <div className="sticky top-0 z-20 -mx-4 flex flex-col gap-2 border-b bg-ground px-4 py-2 md:-mx-8 md:px-8">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" kind="primary" onClick={onRunAll} disabled={isAway || isRunning}>
          <ChevronsRight aria-hidden /> Run all
        </Button>
        <Button size="small" onClick={stopRunning} isBusy={interrupt.isPending} disabled={isAway}>
          <Square aria-hidden /> Interrupt
        </Button>
        <Button size="small" onClick={askToRestart} isBusy={restart.isPending} disabled={isAway}>
          <RotateCcw aria-hidden /> Restart
        </Button>
        <Button
          kind="quiet"
          size="small"
          aria-label="Undo"
          title="Undo"
          disabled={!canUndo}
          onClick={() => shared.undo.undo()}
        >
          <Undo2 aria-hidden />
        </Button>
        <span className="ml-auto flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
          <KernelBadge path={path} shared={shared} isRunning={isRunning} />
          <Connection shared={shared} state={state} />
          <People people={people} total={total} onRename={shared.presence.rename} />
        </span>
      </div>
      {movedTo !== undefined && (
        <p role="status" className="text-sm wrap-anywhere text-warn">
          This notebook has another name now, and its cells run there.{' '}
          <Link to="/notebooks/$" params={{ _splat: movedTo }} className="underline">
            Go on in {titleOf(movedTo)}
          </Link>
        </p>
      )}
      {state.isLost && (
        <Failure
          error={
            new Error(
              'The server had begun this notebook anew. What was written here while it was away is not in it.',
            )
          }
        />
      )}
      {failed && <Failure error={failed.error} />}
      {isAsking && (
        <RestartDialog isBusy={restart.isPending} onRestart={restartNow} onClose={() => setAsking(false)} />
      )}
    </div>
  )
}

function Connection({ shared, state }: { readonly shared: SharedNotebook; readonly state: LiveState }) {
  const isDirty = useValue(shared.state, 'dirty') === true
  if (state.phase !== 'open')
    return (
      <Badge tone="warn" role="status">
        {state.isUnsent ? 'Connection lost, edits are kept here' : 'Connection lost'}
      </Badge>
    )
  const isSaved = !isDirty && !state.isUnsent
  return (
    <Badge tone={isSaved ? 'good' : 'busy'} role="status">
      {isSaved ? 'Saved' : 'Saving …'}
    </Badge>
  )
}
