import type { ReactNode } from 'react'
import { joinClasses } from '../../ui/join-classes.ts'
import { entryOf } from './part.ts'
import type { Component } from './surface.ts'

const JUSTIFY: Readonly<Record<string, string>> = {
  start: 'justify-start',
  center: 'justify-center',
  end: 'justify-end',
  spaceAround: 'justify-around',
  spaceBetween: 'justify-between',
  spaceEvenly: 'justify-evenly',
  stretch: 'justify-stretch',
}
const ALIGN: Readonly<Record<string, string>> = {
  start: 'items-start',
  center: 'items-center',
  end: 'items-end',
  stretch: 'items-stretch',
}

/** A component as it was made, and how much room it takes beside the others. */
export interface Child {
  readonly key: string
  readonly node: ReactNode
  readonly weight: number | undefined
}

export interface LayoutProps {
  readonly component: Component
  readonly items: readonly Child[]
}

export function Row({ component: { justify, align }, items }: LayoutProps) {
  return (
    <div
      className={joinClasses(
        'flex min-w-0 flex-wrap gap-3',
        entryOf(JUSTIFY, justify),
        entryOf(ALIGN, align) ?? 'items-center',
      )}
    >
      {items.map(toWeighed)}
    </div>
  )
}

export function Column({ component: { justify, align }, items }: LayoutProps) {
  return (
    <div
      className={joinClasses('flex min-w-0 flex-col gap-3', entryOf(JUSTIFY, justify), entryOf(ALIGN, align))}
    >
      {items.map(({ key, node }) => (
        <div key={key} className="min-w-0 empty:hidden">
          {node}
        </div>
      ))}
    </div>
  )
}

export function List({ component: { direction, align, listStyle }, items }: LayoutProps) {
  const isRow = direction === 'horizontal'
  const Tag = listStyle === 'ordered' ? 'ol' : 'ul'
  const mark = listStyle === 'ordered' ? 'list-decimal' : listStyle === 'unordered' ? 'list-disc' : undefined
  return (
    <Tag
      // What scrolls has to be reachable by the keyboard.
      tabIndex={isRow ? 0 : undefined}
      className={joinClasses(
        'flex min-w-0 gap-2',
        isRow ? 'overflow-x-auto pb-1' : 'flex-col',
        mark && 'pl-5',
        entryOf(ALIGN, align),
      )}
    >
      {items.map(({ key, node }) => (
        <li key={key} className={joinClasses('min-w-0', isRow && 'shrink-0', mark)}>
          {node}
        </li>
      ))}
    </Tag>
  )
}

export function Divider({ component: { axis } }: Pick<LayoutProps, 'component'>) {
  return axis === 'vertical' ? <div aria-hidden className="w-px self-stretch bg-line" /> : <hr />
}

function toWeighed({ key, node, weight }: Child): ReactNode {
  return (
    <div
      key={key}
      className="min-w-0 max-w-full empty:hidden"
      style={weight === undefined ? undefined : { flex: `${weight} 1 0%` }}
    >
      {node}
    </div>
  )
}
