import { type KeyboardEvent, type Ref, useImperativeHandle, useLayoutEffect, useMemo, useRef } from 'react'
import type * as Y from 'yjs'
import { joinClasses } from '../../ui/join-classes.ts'
import { useText } from '../live/hooks.ts'
import type { Person } from '../live/person.ts'
import type { SharedNotebook } from '../live/shared-notebook.ts'
import { findChange, moveCaret } from '../live/text-change.ts'
import { Carets } from './carets.tsx'
import { highlightPython } from './highlight.ts'
import { toIndented } from './indent.ts'
import { KEYS_ID } from './keys-hint.tsx'
import { writeText } from './write-text.ts'

export interface EditorHandle {
  focus(): void
}

export interface TextEditorProps {
  readonly ref?: Ref<EditorHandle>
  readonly shared: SharedNotebook
  readonly source: Y.Text
  readonly label: string
  readonly isCode: boolean
  /** Others who are in this text. */
  readonly people: readonly Person[]
  readonly placeholder?: string
  /** What the editor does not do itself. */
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  readonly onBlur?: () => void
}

/** Both layers have to break their lines at the same places. */
const TEXT =
  'col-start-1 row-start-1 m-0 min-h-6 w-full px-3 py-2 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap [tab-size:4]'

/** A plain text box over the coloured text, bound to a shared text by what changes, so that nobody's caret is moved without need. */
export function TextEditor({
  ref,
  shared,
  source,
  label,
  isCode,
  people,
  placeholder,
  onKeyDown,
  onBlur,
}: TextEditorProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  const text = useText(source).replaceAll(/\r\n?/g, '\n')
  const parts = useMemo(() => (isCode ? highlightPython(text) : [{ text, className: '' }]), [isCode, text])
  useImperativeHandle(ref, () => ({ focus: () => box.current?.focus() }), [])

  useLayoutEffect(() => {
    const { current } = box
    if (!current || current.value === text) return
    const change = findChange(current.value, text)
    const { selectionStart, selectionEnd, selectionDirection } = current
    current.value = text
    if (document.activeElement !== current) return
    current.setSelectionRange(
      moveCaret(selectionStart, change),
      moveCaret(selectionEnd, change),
      selectionDirection,
    )
  }, [text])

  function tellCaret(): void {
    const { current } = box
    if (!current || document.activeElement !== current) return
    const { selectionStart, selectionEnd, selectionDirection } = current
    const isBackward = selectionDirection === 'backward'
    shared.presence.select(
      source,
      isBackward ? selectionEnd : selectionStart,
      isBackward ? selectionStart : selectionEnd,
    )
  }

  function write(): void {
    const { current } = box
    if (current) writeText(source, current.value, current.selectionEnd)
    tellCaret()
  }

  function onKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const isCommand = event.ctrlKey || event.metaKey
    const key = event.key.toLowerCase()
    if (event.nativeEvent.isComposing) return
    if (isCommand && (key === 'z' || key === 'y')) {
      event.preventDefault()
      if (key === 'y' || event.shiftKey) shared.undo.redo()
      else shared.undo.undo()
    } else if (event.key === 'Tab' && isCode && !isCommand && !event.altKey) {
      event.preventDefault()
      indent(event.currentTarget, event.shiftKey)
    } else onKeyDown(event)
  }

  function indent(current: HTMLTextAreaElement, isBack: boolean): void {
    const { value, selectionStart, selectionEnd } = current
    const next = toIndented(value, selectionStart, selectionEnd, isBack)
    current.value = next.text
    current.setSelectionRange(next.start, next.end)
    write()
  }

  return (
    <div className="relative grid min-w-0">
      <pre aria-hidden className={joinClasses(TEXT, 'pointer-events-none')}>
        {parts.map(({ text: part, className }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and change as a whole
          <span key={index} className={className === '' ? undefined : className}>
            {part}
          </span>
        ))}
        {/* A last line that is empty has no height otherwise. */}
        {'\u200b'}
      </pre>
      {people.length > 0 && <Carets className={TEXT} text={text} source={source} people={people} />}
      <textarea
        ref={box}
        aria-label={label}
        aria-describedby={KEYS_ID}
        spellCheck={!isCode}
        autoCapitalize="off"
        autoCorrect="off"
        autoComplete="off"
        rows={1}
        placeholder={placeholder}
        className={joinClasses(
          TEXT,
          'resize-none overflow-hidden bg-transparent text-transparent caret-ink outline-none placeholder:text-quiet',
        )}
        onInput={write}
        onSelect={tellCaret}
        onFocus={tellCaret}
        onBlur={onBlur}
        onKeyDown={onKey}
      />
    </div>
  )
}
