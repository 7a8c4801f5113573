import { ArrowDown, ArrowUp, Eraser, Plus, Trash2 } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import {
  CELL_TYPES,
  type CellType,
  changeType,
  clearOutputs,
  isCellType,
  moveCell,
  type SharedCell,
} from '../live/cells.ts'
import type { NotebookActions } from './notebook-actions.ts'

export interface CellToolsProps {
  readonly cell: SharedCell
  readonly id: string
  readonly type: CellType
  readonly label: string
  readonly hasOutputs: boolean
  readonly actions: NotebookActions
}

/** Seen when the cell is looked at; there for the keyboard always. */
export function CellTools({ cell, id, type, label, hasOutputs, actions }: CellToolsProps) {
  const { shared } = actions
  const of = label.toLowerCase()
  const buttons = [
    { name: `Insert a cell below ${of}`, icon: Plus, act: () => actions.insert(id, 1, 'code') },
    { name: `Move ${of} up`, icon: ArrowUp, act: () => moveCell(shared, cell, -1) },
    { name: `Move ${of} down`, icon: ArrowDown, act: () => moveCell(shared, cell, 1) },
    ...(hasOutputs
      ? [{ name: `Clear the outputs of ${of}`, icon: Eraser, act: () => clearOutputs(shared, cell) }]
      : []),
    { name: `Delete ${of}`, icon: Trash2, act: () => actions.remove(id) },
  ]

  return (
    <div className="absolute -top-4 right-2 z-10 flex items-center rounded-md border bg-surface opacity-0 shadow-sm transition-opacity group-focus-within/cell:opacity-100 group-hover/cell:opacity-100">
      <select
        aria-label={`Kind of ${of}`}
        className="h-7 rounded-l-md bg-surface px-1.5 text-xs"
        value={type}
        onChange={({ target }) => {
          if (isCellType(target.value)) changeType(shared, cell, target.value)
        }}
      >
        {Object.entries(CELL_TYPES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {buttons.map(({ name, icon: Icon, act }) => (
        <Button
          key={name}
          kind="quiet"
          size="icon"
          className="size-7"
          aria-label={name}
          title={name}
          onClick={act}
        >
          <Icon aria-hidden className="size-3.5!" />
        </Button>
      ))}
    </div>
  )
}
