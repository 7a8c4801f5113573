import { type FocusEvent, type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import type * as Y from 'yjs'
import { joinClasses } from '../../ui/join-classes.ts'
import type { CellType, SharedCell } from '../live/cells.ts'
import { useCellState } from '../live/hooks.ts'
import { lineColourOf, type Person } from '../live/person.ts'
import { Outputs } from '../output/outputs.tsx'
import { CellGutter, type RunState } from './cell-gutter.tsx'
import { CellPeople } from './cell-people.tsx'
import { CellTools } from './cell-tools.tsx'
import type { NotebookActions } from './notebook-actions.ts'
import { RenderedText } from './rendered-text.tsx'
import { type EditorHandle, TextEditor } from './text-editor.tsx'
import { useCellKeys } from './use-cell-keys.ts'

export interface CellViewProps {
  readonly id: string
  readonly cell: SharedCell
  readonly source: Y.Text
  /** From 1. */
  readonly number: number
  readonly people: readonly Person[]
  readonly run: RunState
  readonly fault: string | undefined
  readonly actions: NotebookActions
}

export const CellView = memo(function CellView({
  id,
  cell,
  source,
  number,
  people,
  run,
  fault,
  actions,
}: CellViewProps) {
  const { shared } = actions
  const { type, executionCount, isRunning, outputs } = useCellState(cell)
  const editor = useRef<EditorHandle>(null)
  const element = useRef<HTMLElement>(null)
  /** An empty text cell is written in, but it may be somebody else's. */
  const wantsFocus = useRef(false)
  const isText = type === 'markdown'
  const [isEditing, setEditing] = useState(() => isText && source.length === 0)
  const state: RunState = run === 'idle' && isRunning ? 'running' : run
  const label = `Cell ${number}`
  const onCellKey = useCellKeys({ id, cell, actions, edit, finish })

  useEffect(() => actions.register(id, { edit, show: () => element.current?.focus() }))
  useEffect(() => {
    if (isEditing && wantsFocus.current) editor.current?.focus()
    wantsFocus.current = false
  }, [isEditing])

  function edit(): void {
    if (!isText || isEditing) editor.current?.focus()
    else {
      wantsFocus.current = true
      setEditing(true)
    }
  }

  function finish(): void {
    setEditing(false)
    if (type === 'code') actions.run([id])
  }

  function onEditorKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault()
      setEditing(false)
      element.current?.focus()
    } else if (event.key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      finish()
      if (event.shiftKey) actions.goOn(id)
      else if (isText) element.current?.focus()
    }
  }

  function onFocus(): void {
    shared.presence.enterCell(id)
  }

  function onBlur({ currentTarget, relatedTarget }: FocusEvent): void {
    if (!currentTarget.contains(relatedTarget)) shared.presence.enterCell(undefined)
  }

  const visitor = people[0]
  return (
    <section
      ref={element}
      aria-label={`${label}, ${toWords(type, state, executionCount)}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: cells are gone through one by one
      tabIndex={0}
      data-cell={id}
      onKeyDown={onCellKey}
      onFocusCapture={onFocus}
      onBlur={onBlur}
      className="group/cell relative grid min-w-0 grid-cols-[2.25rem_minmax(0,1fr)] gap-x-1 rounded-lg outline-offset-4 sm:grid-cols-[3.25rem_minmax(0,1fr)] sm:gap-x-2"
    >
      {visitor && (
        <span
          aria-hidden
          className="absolute inset-y-0 -left-1 w-[3px] rounded-full"
          style={{ backgroundColor: lineColourOf(visitor) }}
        />
      )}
      <CellGutter
        type={type}
        label={label}
        count={executionCount}
        state={state}
        onRun={() => actions.run([id])}
      />
      <div className="min-w-0">
        <CellPeople people={people} />
        <CellTools
          cell={cell}
          id={id}
          type={type}
          label={label}
          hasOutputs={outputs.length > 0}
          actions={actions}
        />
        <div className="[contain-intrinsic-block-size:auto_6rem] [content-visibility:auto]">
          {isText && !isEditing ? (
            <RenderedText source={source} onEdit={edit} />
          ) : (
            <div
              className={joinClasses(
                'rounded-md border bg-surface focus-within:border-accent',
                state === 'running' && 'border-busy',
              )}
            >
              <TextEditor
                ref={editor}
                shared={shared}
                source={source}
                label={`${label}, ${KINDS[type]}`}
                isCode={type !== 'markdown'}
                people={people}
                {...(isText && { placeholder: 'Markdown. Shift+Enter shows it.' })}
                onKeyDown={onEditorKey}
                {...(isText && { onBlur: () => setEditing(source.length === 0) })}
              />
            </div>
          )}
          {fault !== undefined && (
            <p
              role="alert"
              className="mt-2 rounded-md border border-bad/40 bg-bad/10 p-2 text-sm break-words whitespace-pre-wrap"
            >
              {fault}
            </p>
          )}
          {type === 'code' && outputs.length > 0 && (
            <div className="px-1 pt-3 sm:px-3">
              <Outputs outputs={outputs} />
            </div>
          )}
        </div>
      </div>
    </section>
  )
})

const KINDS: Readonly<Record<CellType, string>> = { code: 'code', markdown: 'text', raw: 'text' }

function toWords(type: CellType, state: RunState, count: number | undefined): string {
  if (state === 'running') return `${KINDS[type]}, runs`
  if (state === 'queued') return `${KINDS[type]}, waits`
  return count === undefined ? KINDS[type] : `${KINDS[type]}, ran as ${count}`
}
