import type { MouseEvent } from 'react'
import type * as Y from 'yjs'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { useText } from '../live/hooks.ts'
import { mathAsCode } from '../math-as-code.ts'

export interface RenderedTextProps {
  readonly source: Y.Text
  readonly onEdit: () => void
}

/** What a text cell says, until it is written in. */
export function RenderedText({ source, onEdit }: RenderedTextProps) {
  const text = useText(source)
  function onClick({ target }: MouseEvent): void {
    const isLink = target instanceof Element && target.closest('a, button') !== null
    if (!isLink && getSelection()?.isCollapsed !== false) onEdit()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter on the cell does the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div className="cursor-text px-1 py-1 sm:px-3" onClick={onClick}>
      {text.trim() === '' ? (
        <p className="text-quiet italic">Empty text</p>
      ) : (
        <Markdown text={mathAsCode(text)} />
      )}
    </div>
  )
}
