import { useState } from 'react'
import { toPrettyJson } from '../../ui/code.tsx'
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import type { Schema } from './schema.ts'

export interface SimpleFieldProps {
  readonly schema: Schema
  readonly label: string
  readonly isRequired: boolean
  readonly hint: string | undefined
  readonly fault: string | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

export function TextField({ value, onChange, ...rest }: SimpleFieldProps) {
  return (
    <Field {...toFieldProps(rest)}>
      {(ids) => (
        <TextArea
          {...ids}
          rows={1}
          aria-required={rest.isRequired}
          className="max-h-64 min-h-9 resize-none field-sizing-content py-1.5"
          value={typeof value === 'string' ? value : ''}
          // A text that is required may be empty; one that is not is left out.
          onChange={({ target }) =>
            onChange(target.value === '' && !rest.isRequired ? undefined : target.value)
          }
        />
      )}
    </Field>
  )
}

export function NumberField({ value, onChange, isWhole, ...rest }: SimpleFieldProps & { isWhole: boolean }) {
  return (
    <Field {...toFieldProps(rest)}>
      {(ids) => (
        <TextInput
          {...ids}
          type="number"
          step={isWhole ? 1 : 'any'}
          aria-required={rest.isRequired}
          value={typeof value === 'number' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
        />
      )}
    </Field>
  )
}

export function TruthField({ label, hint, fault, isRequired, value, onChange }: SimpleFieldProps) {
  return (
    <div className="flex flex-col gap-1">
      <label className="flex items-center gap-2 text-sm font-medium">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>
          {label}
          {isRequired && <span className="text-bad"> *</span>}
          {value === undefined && <span className="font-normal text-quiet"> (not sent)</span>}
        </span>
      </label>
      <p className={fault ? 'text-sm text-bad empty:hidden' : 'text-sm text-quiet empty:hidden'}>
        {fault ?? hint}
      </p>
    </div>
  )
}

export function ChoiceField({
  value,
  onChange,
  values,
  ...rest
}: SimpleFieldProps & { readonly values: readonly unknown[] }) {
  const chosen = values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value))
  return (
    <Field {...toFieldProps(rest)}>
      {(ids) => (
        <Select
          {...ids}
          aria-required={rest.isRequired}
          value={String(chosen)}
          onChange={({ target }) =>
            onChange(target.value === '-1' ? undefined : values[Number(target.value)])
          }
        >
          <option value="-1">{rest.isRequired ? 'Choose one' : 'Not sent'}</option>
          {values.map((one, index) => (
            <option key={JSON.stringify(one)} value={index}>
              {typeof one === 'string' ? one : JSON.stringify(one)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** Keeps what was typed while it is no JSON; what is sent is the last that was. */
export function JsonField({ value, onChange, ...rest }: SimpleFieldProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : toPrettyJson(value)))
  const [wrong, setWrong] = useState<string>()
  function change(next: string): void {
    setText(next)
    const { value: parsed, fault } = parseJson(next)
    setWrong(fault)
    if (fault === undefined) onChange(parsed)
  }
  return (
    <Field {...toFieldProps({ ...rest, fault: wrong ?? rest.fault, hint: rest.hint ?? 'As JSON.' })}>
      {(ids) => (
        <TextArea
          {...ids}
          rows={2}
          spellCheck={false}
          aria-required={rest.isRequired}
          className="max-h-96 field-sizing-content font-mono"
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  )
}

/** An empty text is nothing, and no fault. */
export function parseJson(text: string): { readonly value?: unknown; readonly fault?: string } {
  if (text.trim() === '') return {}
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function toFieldProps({ label, isRequired, hint, fault }: Omit<SimpleFieldProps, 'value' | 'onChange'>) {
  return { label, isRequired, hint, error: fault }
}
