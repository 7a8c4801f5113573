import { colourOf, type Person } from '../live/person.ts'

/** Others who are in a cell. */
export function CellPeople({ people }: { readonly people: readonly Person[] }) {
  if (people.length === 0) return undefined
  return (
    <p className="mb-1 flex flex-wrap gap-1">
      {people.map((person) => (
        <span
          key={person.id}
          className="max-w-48 truncate rounded-full px-2 text-xs/5 text-white"
          style={{ backgroundColor: colourOf(person) }}
        >
          {person.name}
        </span>
      ))}
    </p>
  )
}
