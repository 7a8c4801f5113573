import { Fragment } from 'react'
import type * as Y from 'yjs'
import { joinClasses } from '../../ui/join-classes.ts'
import { indexIn, lineColourOf, type Person } from '../live/person.ts'

export interface CaretsProps {
  readonly className: string
  readonly text: string
  readonly source: Y.Text
  readonly people: readonly Person[]
}

/** Others' carets, in an invisible copy of the text. */
export function Carets({ className, text, source, people }: CaretsProps) {
  const places = people
    .flatMap((person) => {
      const index = person.cursor && indexIn(source, person.cursor)
      return index === undefined ? [] : [{ person, index }]
    })
    .toSorted((one, other) => one.index - other.index)
  let at = 0
  return (
    <pre aria-hidden className={joinClasses(className, 'pointer-events-none text-transparent')}>
      {places.map(({ person, index }) => {
        const before = text.slice(at, index)
        at = Math.max(at, index)
        return (
          <Fragment key={person.id}>
            {before}
            <span className="relative" data-caret={person.name}>
              <span
                className="absolute top-0 -ml-px h-[1.2em] w-0.5 rounded"
                style={{ backgroundColor: lineColourOf(person) }}
              />
            </span>
          </Fragment>
        )
      })}
      {text.slice(at)}
    </pre>
  )
}
