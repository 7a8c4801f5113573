import { useId } from 'react'
import { ListField } from './list-field.tsx'
import { descriptionOf, isTable, planField, resolveSchema, type Schema } from './schema.ts'
import { ChoiceField, JsonField, NumberField, TextField, TruthField } from './simple-fields.tsx'

export interface ValueFieldProps {
  readonly schema: Schema
  /** Where references lead to. */
  readonly root: Schema
  readonly label: string
  readonly isRequired: boolean
  /** As the service names it in its faults: `a[0].b`. */
  readonly path: string
  readonly depth: number
  readonly faults: ReadonlyMap<string, string>
  readonly value: unknown
  /** Undefined: it is not sent. */
  readonly onChange: (value: unknown) => void
}

/** One value of any schema, and all within it. */
export function ValueField(props: ValueFieldProps) {
  const schema = resolveSchema(props.schema, props.root)
  const plan = planField(schema, props.root, props.depth)
  const common = {
    ...props,
    schema,
    hint: descriptionOf(schema),
    fault: props.faults.get(props.path),
  }
  switch (plan.kind) {
    case 'object':
      return <ObjectFields {...props} schema={schema} />
    case 'list':
      return <ListField {...props} item={plan.item} hint={common.hint} fault={common.fault} />
    case 'choice':
      return <ChoiceField {...common} values={plan.values} />
    case 'number':
      return <NumberField {...common} isWhole={plan.isWhole} />
    case 'truth':
      return <TruthField {...common} />
    case 'text':
      return <TextField {...common} />
    case 'json':
      return <JsonField {...common} />
  }
}

/** The outermost one stands without a frame: it is the form. */
function ObjectFields({
  schema,
  root,
  label,
  isRequired,
  path,
  depth,
  faults,
  value,
  onChange,
}: ValueFieldProps) {
  const id = useId()
  const plan = planField(schema, root, depth)
  if (plan.kind !== 'object') return undefined
  const table = isTable(value) ? value : {}
  const fault = faults.get(path)
  const fields = plan.fields.map((field) => (
    <ValueField
      key={field.name}
      schema={field.schema}
      root={root}
      label={field.name}
      isRequired={field.isRequired}
      path={path === '' ? field.name : `${path}.${field.name}`}
      depth={depth + 1}
      faults={faults}
      value={Object.hasOwn(table, field.name) ? table[field.name] : undefined}
      onChange={(next) => onChange(replaceIn(table, field.name, next, isRequired || depth === 0))}
    />
  ))
  if (depth === 0) return <div className="flex flex-col gap-4">{fields}</div>
  return (
    <fieldset aria-describedby={id} className="flex min-w-0 flex-col gap-4 rounded-md border p-3">
      <legend className="px-1 text-sm font-medium">
        {label}
        {isRequired && <span className="text-bad"> *</span>}
      </legend>
      <p id={id} className={fault ? 'text-sm text-bad empty:hidden' : 'text-sm text-quiet empty:hidden'}>
        {fault ?? descriptionOf(schema)}
      </p>
      {fields}
    </fieldset>
  )
}

/** An object that may be left out is left out when the last of it is. */
function replaceIn(table: Schema, name: string, value: unknown, isKept: boolean): Schema | undefined {
  const entries = Object.entries(table).filter(([key]) => key !== name)
  if (value !== undefined) entries.push([name, value])
  return entries.length === 0 && !isKept ? undefined : Object.fromEntries(entries)
}
