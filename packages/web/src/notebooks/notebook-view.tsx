import { Plus } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { Button } from '../ui/button.tsx'
import { FaultBoundary } from '../ui/fault-boundary.tsx'
import { Empty } from '../ui/state.tsx'
import { useLeaveQuestion } from '../ui/use-leave-question.ts'
import type { RunState } from './cell/cell-gutter.tsx'
import { KeysDialog } from './cell/keys-dialog.tsx'
import { KeysHint } from './cell/keys-hint.tsx'
import { LazyCell } from './cell/lazy-cell.tsx'
import { useNotebookActions } from './cell/use-notebook-actions.ts'
import { isCell, sourceOf, typeOf } from './live/cells.ts'
import { useCells, usePeople } from './live/hooks.ts'
import type { LiveNotebook, LiveState } from './live/live-notebook.ts'
import type { Person } from './live/person.ts'
import { createRunner, type Runner, type RunnerState } from './live/runner.ts'
import type { SharedNotebook } from './live/shared-notebook.ts'
import { NotebookBar } from './notebook-bar.tsx'
import { createToolSession } from './tool-session.ts'

export interface NotebookViewProps {
  readonly path: string
  readonly live: LiveNotebook
  readonly state: LiveState
  readonly shared: SharedNotebook
}

const AT_FIRST = 40
const AT_ONCE = 200
const NOBODY: readonly Person[] = []

export function NotebookView({ path, live, state, shared }: NotebookViewProps) {
  const cells = useCells(shared)
  const runner = useRunner(path, live, shared)
  const runs = useSyncExternalStore(runner.subscribe, runner.getState)
  const people = usePeople(shared)
  const [isShowingKeys, setShowingKeys] = useState(false)
  const showKeys = useCallback(() => setShowingKeys(true), [])
  const shown = useGrowing(cells.length)
  const actions = useNotebookActions(shared, runner, showKeys)
  const places = useMemo(() => toPlaces(people), [people])
  useLeaveQuestion(state.isUnsent)

  return (
    <>
      <NotebookBar
        path={path}
        shared={shared}
        state={state}
        people={people}
        runner={runner}
        isRunning={runs.running !== undefined}
        onRunAll={() => runner.run(cells.filter(({ cell }) => typeOf(cell) === 'code').map(({ id }) => id))}
      />
      {cells.length === 0 && (
        <Empty title="This notebook has no cells yet.">
          Add one below: code that runs, or text that explains it.
        </Empty>
      )}
      <div className="flex min-w-0 flex-col gap-6">
        {cells.slice(0, shown).map(({ id, cell, source }, index) => (
          <FaultBoundary key={id} message="This cell cannot be shown.">
            <LazyCell
              id={id}
              cell={cell}
              source={source}
              number={index + 1}
              people={places.get(id) ?? NOBODY}
              run={toRunState(runs, id)}
              fault={runs.faults.get(id)}
              actions={actions}
            />
          </FaultBoundary>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-4 pl-10 sm:pl-15">
        <Button size="small" onClick={() => actions.append('code')}>
          <Plus aria-hidden /> Code
        </Button>
        <Button size="small" onClick={() => actions.append('markdown')}>
          <Plus aria-hidden /> Text
        </Button>
        <KeysHint onShow={showKeys} />
      </div>
      {isShowingKeys && <KeysDialog onClose={() => setShowingKeys(false)} />}
    </>
  )
}

function useRunner(path: string, { confirm }: LiveNotebook, shared: SharedNotebook): Runner {
  const [runner] = useState(() =>
    createRunner({
      path,
      confirm,
      tools: createToolSession(),
      sourceOf(id) {
        const cell = shared.cells.toArray().find((known) => isCell(known) && known.get('id') === id)
        return isCell(cell) ? sourceOf(cell).toString() : undefined
      },
    }),
  )
  // Nobody would see what comes after.
  useEffect(() => runner.cancel, [runner])
  return runner
}

/** A long notebook comes on the page part by part, so that its beginning can be used at once. */
function useGrowing(total: number): number {
  const [shown, setShown] = useState(AT_FIRST)
  useEffect(() => {
    if (shown >= total) return undefined
    const timer = setTimeout(() => setShown(shown + AT_ONCE))
    return () => clearTimeout(timer)
  }, [shown, total])
  return shown
}

function toRunState({ running, queue }: RunnerState, id: string): RunState {
  if (running === id) return 'running'
  return queue.includes(id) ? 'queued' : 'idle'
}

/** Others, by the cells that they are in. */
function toPlaces(people: readonly Person[]): ReadonlyMap<string, readonly Person[]> {
  const others = people.filter(({ isSelf, cell }) => !isSelf && cell !== undefined)
  return Map.groupBy(others, ({ cell = '' }) => cell)
}
