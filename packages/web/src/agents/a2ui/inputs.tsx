import { useId } from 'react'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'
import { toText } from '../../ui/to-text.ts'
import { boundIn, entryOf, faultIn, nameIn, type PartProps } from './part.ts'
import { isLike } from './tame-pattern.ts'
import { readText } from './values.ts'

const KINDS: Readonly<Record<string, string>> = { number: 'number', obscured: 'password' }

export function TextField({ part }: PartProps) {
  const { value, write } = boundIn(part)
  const { variant, validationRegexp: pattern } = part.component
  const text = typeof value === 'string' || typeof value === 'number' ? toText(value) : ''
  const isOdd = typeof pattern === 'string' && text !== '' && isLike(text, pattern) === false
  const common = {
    value: text,
    readOnly: write === undefined,
    // A password of this page's own is not to be put in here.
    autoComplete: variant === 'obscured' ? 'new-password' : 'off',
    onChange: ({ target }: { readonly target: { readonly value: string } }) => write?.(target.value),
  }
  return (
    <Field
      label={nameIn(part) || 'Text'}
      error={faultIn(part) ?? (isOdd ? 'This is not of the form that is asked for.' : undefined)}
    >
      {(ids) =>
        variant === 'longText' ? (
          <TextArea {...ids} {...common} />
        ) : (
          <TextInput {...ids} {...common} type={entryOf(KINDS, variant) ?? 'text'} />
        )
      }
    </Field>
  )
}

export function CheckBox({ part }: PartProps) {
  const { value, write } = boundIn(part)
  const fault = faultIn(part)
  return (
    <div className="flex flex-col gap-1 text-sm">
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1 accent-accent"
          checked={value === true}
          disabled={write === undefined}
          onChange={({ target }) => write?.(target.checked)}
        />
        <span className="min-w-0 wrap-anywhere">{nameIn(part) || 'Yes'}</span>
      </label>
      {fault !== undefined && <p className="text-bad">{fault}</p>}
    </div>
  )
}

export function Slider({ part }: PartProps) {
  const id = useId()
  const { value, write } = boundIn(part)
  const min = toNumber(part.component.min, 0)
  const max = Math.max(toNumber(part.component.max, 100), min)
  const at = Math.min(Math.max(toNumber(value, min), min), max)
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <label htmlFor={id} className="min-w-0 font-medium wrap-anywhere">
          {nameIn(part) || 'Value'}
        </label>
        <output htmlFor={id} className="text-quiet tabular-nums">
          {at}
        </output>
      </div>
      <input
        id={id}
        type="range"
        className="w-full accent-accent"
        min={min}
        max={max}
        step={Number.isInteger(at) && max - min > 1 ? 1 : 'any'}
        value={at}
        disabled={write === undefined}
        onChange={({ target }) => write?.(target.valueAsNumber)}
      />
      <p className="text-sm text-bad empty:hidden">{faultIn(part)}</p>
    </div>
  )
}

const DATE = /^\d{4,6}-\d{2}-\d{2}/
const TIME = /(?:^|T)(\d{2}:\d{2})/

export function DateTimeInput({ part }: PartProps) {
  const { component, scope } = part
  const { value, write } = boundIn(part)
  const hasTime = component.enableTime === true
  const hasDate = component.enableDate === true || !hasTime
  const shown = (said: unknown) => {
    const text = toText(said)
    const [date = ''] = DATE.exec(text) ?? []
    const [, time = ''] = TIME.exec(text) ?? []
    if (hasDate && hasTime) return date === '' ? '' : `${date}T${time === '' ? '00:00' : time}`
    return hasDate ? date : time
  }
  return (
    <Field label={nameIn(part) || (hasDate ? 'Date' : 'Time')} error={faultIn(part)}>
      {(ids) => (
        <TextInput
          {...ids}
          type={hasDate && hasTime ? 'datetime-local' : hasDate ? 'date' : 'time'}
          className="max-w-60"
          min={shown(readText(component.min, scope)) || undefined}
          max={shown(readText(component.max, scope)) || undefined}
          value={shown(value)}
          readOnly={write === undefined}
          onChange={({ target }) => write?.(target.value)}
        />
      )}
    </Field>
  )
}

function toNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}
