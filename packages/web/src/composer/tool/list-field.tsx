import { Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { planField, type Schema, startValue } from './schema.ts'
import { ValueField, type ValueFieldProps } from './value-field.tsx'

export interface ListFieldProps extends ValueFieldProps {
  readonly item: Schema
  readonly hint: string | undefined
  readonly fault: string | undefined
}

export function ListField({ item, hint, fault, value, onChange, ...rest }: ListFieldProps) {
  const { label, root, isRequired, path, depth } = rest
  const id = useId()
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  function remove(index: number): void {
    const left = items.toSpliced(index, 1)
    onChange(left.length === 0 && !isRequired ? undefined : left)
  }
  return (
    <fieldset aria-describedby={id} className="flex min-w-0 flex-col gap-3 rounded-md border p-3">
      <legend className="px-1 text-sm font-medium">
        {label}
        {isRequired && <span className="text-bad"> *</span>}
      </legend>
      <p id={id} className={fault ? 'text-sm text-bad empty:hidden' : 'text-sm text-quiet empty:hidden'}>
        {fault ?? hint}
      </p>
      {items.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values have no names, and two may be alike; when one goes, all are drawn anew
        <div key={`${items.length}-${index}`} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <ValueField
              {...rest}
              schema={item}
              label={`${label} ${index + 1}`}
              isRequired
              path={`${path}[${index}]`}
              depth={depth + 1}
              value={one}
              onChange={(next) => onChange(items.with(index, next ?? null))}
            />
          </div>
          <Button
            kind="quiet"
            size="icon"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => remove(index)}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button
        size="small"
        className="self-start"
        onClick={() => onChange([...items, firstValue(item, root, depth + 1)])}
      >
        <Plus aria-hidden /> Add to {label}
      </Button>
    </fieldset>
  )
}

function firstValue(item: Schema, root: Schema, depth: number): unknown {
  const value = startValue(item, root, true, depth)
  if (value !== undefined) return value
  return planField(item, root, depth).kind === 'text' ? '' : null
}
