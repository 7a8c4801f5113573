import { memo, startTransition, useEffect, useRef, useState } from 'react'
import { CellView, type CellViewProps } from './cell-view.tsx'
import { FarCell } from './far-cell.tsx'
import type { CellHandle } from './notebook-actions.ts'

/** The first of them are there at once, and in most notebooks there are no more. */
const AT_ONCE = 40
/** On either side of what is in sight: some screens. */
const NEAR = '2000px'

/** Becomes whole when it comes near what is in sight, and stays so. */
export const LazyCell = memo(function LazyCell(props: CellViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isWhole, setWhole] = useState(props.number <= AT_ONCE)
  const { id, source, number, actions } = props

  useEffect(() => {
    if (isWhole || !place.current) return undefined
    const watch = new IntersectionObserver(
      (entries) => {
        // Not all at once: scrolling comes first.
        if (entries.some(({ isIntersecting }) => isIntersecting)) startTransition(() => setWhole(true))
      },
      { rootMargin: NEAR },
    )
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [isWhole])

  /** What it was asked for while it was far: it is done when the cell is there. */
  const wanted = useRef<keyof CellHandle>(undefined)
  useEffect(() => {
    if (!isWhole) {
      const come = (how: keyof CellHandle) => {
        wanted.current = how
        setWhole(true)
      }
      return actions.register(id, { edit: () => come('edit'), show: () => come('show') })
    }
    if (wanted.current) actions.reach(id, wanted.current)
    wanted.current = undefined
    return undefined
  }, [isWhole, actions, id])

  return (
    <div ref={place} className="min-w-0">
      {isWhole ? <CellView {...props} /> : <FarCell id={id} source={source} number={number} />}
    </div>
  )
})
