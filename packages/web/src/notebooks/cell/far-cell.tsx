import type * as Y from 'yjs'
import { useText } from '../live/hooks.ts'

export interface FarCellProps {
  readonly id: string
  readonly source: Y.Text
  readonly number: number
}

/** A cell far from what is in sight: its text alone, which can be searched and costs next to nothing. */
export function FarCell({ id, source, number }: FarCellProps) {
  const text = useText(source)
  return (
    <section
      aria-label={`Cell ${number}`}
      data-cell={id}
      className="min-h-16 pl-10 [contain-intrinsic-block-size:auto_6rem] [content-visibility:auto] sm:pl-15"
    >
      <pre className="border border-transparent px-3 py-2 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap">
        {text}
      </pre>
    </section>
  )
}
