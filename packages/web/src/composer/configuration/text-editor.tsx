import { type Ref, useImperativeHandle, useRef } from 'react'
import { joinClasses } from '../../ui/join-classes.ts'

export interface TextEditorHandle {
  /** Puts the cursor on a line, and the line into sight. */
  show(line: number): void
}

export interface TextEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** By line, from 1. */
  readonly marks: ReadonlyMap<number, 'bad' | 'warn'>
  readonly describedBy?: string
  readonly ref?: Ref<TextEditorHandle>
}

const LINE_PX = 20
const LINES_ABOVE = 4

/** A plain text with numbered lines. Tab leaves it, so that nobody is caught in it. */
export function TextEditor({ label, value, onChange, marks, describedBy, ref }: TextEditorProps) {
  const view = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = value.split('\n')
  useImperativeHandle(ref, () => ({
    show(line) {
      const before = value.split('\n').slice(0, line - 1)
      const start = before.reduce((sum, { length }) => sum + length + 1, 0)
      const end = value.indexOf('\n', start)
      area.current?.focus({ preventScroll: true })
      area.current?.setSelectionRange(start, end === -1 ? value.length : end)
      view.current?.scrollTo({ top: (line - 1 - LINES_ABOVE) * LINE_PX })
    },
  }))
  return (
    <div
      ref={view}
      className="flex max-h-[60dvh] min-h-64 overflow-auto rounded-md border bg-surface font-mono text-[0.8125rem] leading-5 focus-within:outline-2 focus-within:outline-accent"
    >
      <div
        aria-hidden
        className="sticky left-0 h-max min-h-full shrink-0 border-r bg-raised py-2 text-right text-quiet tabular-nums select-none"
      >
        {lines.map((_line, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are their numbers here
            key={index}
            className={joinClasses(
              'px-2',
              marks.get(index + 1) === 'bad' && 'bg-bad/15 font-semibold text-bad',
              marks.get(index + 1) === 'warn' && 'bg-warn/15 font-semibold text-warn',
            )}
          >
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        aria-label={label}
        aria-describedby={describedBy}
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        className="h-max min-h-full min-w-0 flex-1 resize-none field-sizing-content overflow-x-auto overflow-y-hidden bg-transparent px-3 py-2 whitespace-pre outline-none"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
