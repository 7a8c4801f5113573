import { useId, useState } from 'react'
import { TextInput } from '../../ui/field.tsx'
import { joinClasses } from '../../ui/join-classes.ts'
import { toText } from '../../ui/to-text.ts'
import { isTable } from '../apps/user-interfaces.ts'
import { boundIn, faultIn, nameIn, type Part, type PartProps } from './part.ts'
import { readText } from './values.ts'

const MOST_OPTIONS = 200
const CHIP =
  'relative cursor-pointer rounded-full border px-3 py-1 has-checked:border-accent has-checked:bg-accent/10 has-checked:text-accent has-focus-visible:outline-2'

/** One of several, or any of them. */
export function ChoicePicker({ part }: PartProps) {
  const id = useId()
  const [filter, setFilter] = useState('')
  const { component } = part
  const { value, write } = boundIn(part)
  const chosen = Array.isArray(value) ? value.map(toText) : []
  const isMany = component.variant === 'multipleSelection'
  const isChips = component.displayStyle === 'chips'
  const label = nameIn(part)
  const fault = faultIn(part)
  const shown = optionsIn(part).filter((option) =>
    option.label.toLocaleLowerCase().includes(filter.toLocaleLowerCase()),
  )

  function choose(name: string, isOn: boolean): void {
    const others = isMany ? chosen.filter((one) => one !== name) : []
    write?.(isOn ? [...others, name] : others)
  }

  return (
    <fieldset
      aria-label={label === '' ? 'Choice' : undefined}
      className="flex min-w-0 flex-col gap-1.5 text-sm"
    >
      {label !== '' && <legend className="mb-1 font-medium wrap-anywhere">{label}</legend>}
      {component.filterable === true && (
        <TextInput
          type="search"
          aria-label={`Filter ${label}`.trim()}
          placeholder="Filter"
          className="max-w-xs"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <div className={isChips ? 'flex flex-wrap gap-2' : 'flex flex-col gap-1.5'}>
        {shown.map((option) => (
          <label
            key={option.value}
            className={joinClasses('flex min-w-0 items-start gap-2', isChips && CHIP)}
          >
            <input
              type={isMany ? 'checkbox' : 'radio'}
              name={id}
              className={isChips ? 'sr-only' : 'mt-1 accent-accent'}
              checked={chosen.includes(option.value)}
              disabled={write === undefined}
              onChange={(event) => choose(option.value, event.target.checked)}
            />
            <span className="min-w-0 wrap-anywhere">{option.label}</span>
          </label>
        ))}
        {shown.length === 0 && <p className="text-quiet">Nothing to choose from.</p>}
      </div>
      {fault !== undefined && <p className="text-bad">{fault}</p>}
    </fieldset>
  )
}

function optionsIn({
  component,
  scope,
}: Part): readonly { readonly label: string; readonly value: string }[] {
  const options = Array.isArray(component.options) ? component.options.filter(isTable) : []
  const named = options.slice(0, MOST_OPTIONS).map(({ label, value }, index) => ({
    label: readText(label, scope) || toText(value) || `Choice ${index + 1}`,
    value: toText(value),
  }))
  return [...new Map(named.map((option) => [option.value, option])).values()]
}
