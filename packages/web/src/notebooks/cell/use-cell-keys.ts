import { type KeyboardEvent, useRef } from 'react'
import { changeType, type SharedCell } from '../live/cells.ts'
import type { NotebookActions } from './notebook-actions.ts'

export interface CellKeysOptions {
  readonly id: string
  readonly cell: SharedCell
  readonly actions: NotebookActions
  readonly edit: () => void
  /** Runs it, or shows its text. */
  readonly finish: () => void
}

/** Two presses further apart are two beginnings. */
const TWICE_MS = 1_000

/** The keys of a cell that is chosen and not written in. */
export function useCellKeys({ id, cell, actions, edit, finish }: CellKeysOptions) {
  const { shared } = actions
  const deletedAt = useRef(Number.NEGATIVE_INFINITY)

  function deleteAtTwo({ timeStamp, repeat }: KeyboardEvent): void {
    const isSecond = !repeat && timeStamp - deletedAt.current < TWICE_MS
    deletedAt.current = isSecond || repeat ? Number.NEGATIVE_INFINITY : timeStamp
    if (isSecond) actions.remove(id)
  }

  function withCommand({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    if (key === 'Enter') return finish
    if (key.toLowerCase() === 'y' || (key.toLowerCase() === 'z' && shiftKey)) return () => shared.undo.redo()
    return key === 'z' ? () => shared.undo.undo() : undefined
  }

  function plain(event: KeyboardEvent): (() => void) | undefined {
    return {
      Enter: event.shiftKey ? finishAndGoOn : edit,
      ArrowUp: () => actions.step(id, -1),
      k: () => actions.step(id, -1),
      ArrowDown: () => actions.step(id, 1),
      j: () => actions.step(id, 1),
      a: () => actions.insert(id, 0, 'code'),
      b: () => actions.insert(id, 1, 'code'),
      d: () => deleteAtTwo(event),
      z: () => shared.undo.undo(),
      m: () => changeType(shared, cell, 'markdown'),
      y: () => changeType(shared, cell, 'code'),
      h: () => actions.showKeys(),
      '?': () => actions.showKeys(),
    }[event.key]
  }

  function finishAndGoOn(): void {
    finish()
    actions.goOn(id)
  }

  return function onCellKey(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget || event.altKey) return
    const act = event.ctrlKey || event.metaKey ? withCommand(event) : plain(event)
    if (!act) return
    event.preventDefault()
    act()
  }
}
