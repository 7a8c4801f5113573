import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toPrettyJson } from '../../ui/code.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { planField, type Schema } from './schema.ts'
import { parseJson } from './simple-fields.tsx'
import { ValueField } from './value-field.tsx'

export interface ArgumentsFormProps {
  readonly schema: Schema
  readonly value: unknown
  readonly faults: ReadonlyMap<string, string>
  readonly isRaw: boolean
  readonly onRaw: (isRaw: boolean) => void
  readonly onChange: (value: unknown) => void
}

/** The place of the arguments as a whole among faults. */
const WHOLE = ''

/** The arguments as fields, or as the JSON that is sent. */
export function ArgumentsForm({ schema, value, faults, isRaw, onRaw, onChange }: ArgumentsFormProps) {
  return (
    <>
      <fieldset className="flex w-fit rounded-md border p-0.5">
        <legend className="sr-only">How the arguments are written</legend>
        {[false, true].map((isJson) => (
          <Button
            key={String(isJson)}
            size="small"
            kind="quiet"
            aria-pressed={isRaw === isJson}
            className="aria-pressed:bg-raised aria-pressed:text-ink"
            onClick={() => onRaw(isJson)}
          >
            {isJson ? 'JSON' : 'Form'}
          </Button>
        ))}
      </fieldset>
      {isRaw ? (
        <RawArguments value={value} fault={faults.get(WHOLE)} onChange={onChange} />
      ) : !hasFields(schema) ? (
        <p className="text-sm text-quiet">It names no arguments.</p>
      ) : (
        <>
          <ValueField
            schema={schema}
            root={schema}
            label="Arguments"
            isRequired
            path={WHOLE}
            depth={0}
            faults={faults}
            value={value}
            onChange={onChange}
          />
          {faults.has(WHOLE) && <p className="text-sm text-bad">{faults.get(WHOLE)}</p>}
        </>
      )}
    </>
  )
}

/** Without fields there may be arguments of any name, where the schema says so or is one that no form is made of. */
export function isRawAtFirst(schema: Schema): boolean {
  const isObject = planField(schema, schema).kind === 'object'
  return !isObject || (!hasFields(schema) && Boolean(schema.additionalProperties))
}

function hasFields(schema: Schema): boolean {
  const plan = planField(schema, schema)
  return plan.kind === 'object' && plan.fields.length > 0
}

function RawArguments({
  value,
  fault,
  onChange,
}: {
  readonly value: unknown
  readonly fault: string | undefined
  readonly onChange: (value: unknown) => void
}) {
  const [text, setText] = useState(() => toPrettyJson(value ?? {}))
  const { fault: wrong } = parseJson(text)
  function change(next: string): void {
    setText(next)
    const parsed = parseJson(next)
    if (parsed.fault === undefined) onChange(parsed.value ?? {})
  }
  return (
    <Field label="Arguments as JSON" error={wrong ?? fault}>
      {(ids) => (
        <TextArea
          {...ids}
          rows={8}
          spellCheck={false}
          className="max-h-[32rem] field-sizing-content font-mono"
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  )
}
