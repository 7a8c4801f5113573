import { Field, Select } from '../ui/field.tsx'
import type { TeamForm } from './team-form.ts'

export interface TeamFieldsProps {
  readonly form: TeamForm
  readonly onChange: (changes: Partial<TeamForm>) => void
}

export interface SupervisorFieldsProps extends TeamFieldsProps {
  readonly faults: ReadonlyMap<string, string>
}

const MODES: readonly {
  readonly mode: TeamForm['execution_mode']
  readonly label: string
  readonly note: string
}[] = [
  { mode: 'parallel', label: 'Parallel', note: 'Every free member has a task.' },
  { mode: 'sequential', label: 'Sequential', note: 'One task at a time, the most urgent first.' },
  { mode: 'supervisor', label: 'Supervisor', note: 'As parallel, and one member says who gets what.' },
]

export function ModeFields({ form, onChange }: TeamFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-3 text-lg font-semibold">Mode</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {MODES.map(({ mode, label, note }) => (
          <label
            key={mode}
            className="flex cursor-pointer items-start gap-2.5 rounded-lg border bg-surface p-3 has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="mode"
              className="mt-1 size-4 shrink-0 accent-accent"
              checked={form.execution_mode === mode}
              onChange={() => onChange({ execution_mode: mode })}
            />
            <span className="flex flex-col">
              <span className="text-sm font-medium">{label}</span>
              <span className="text-sm text-quiet">{note}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export function SupervisorFields({ form, faults, onChange }: SupervisorFieldsProps) {
  const names = form.members.flatMap(({ name }) => (name.trim() === '' ? [] : [name]))
  return (
    <section className="flex flex-col gap-4" aria-labelledby="supervisor">
      <h2 id="supervisor" className="text-lg font-semibold">
        Supervisor and review
      </h2>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          label="Supervisor"
          isRequired={form.execution_mode === 'supervisor'}
          error={faults.get('supervisor') ?? faults.get('supervisor.member_name')}
        >
          {(ids) => (
            <Select
              {...ids}
              value={form.supervisor}
              onChange={({ target }) =>
                onChange({ supervisor: target.value, ...(target.value === '' && { review_required: false }) })
              }
            >
              <option value="">Nobody</option>
              {[...new Set(names)].map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
        <label className="flex items-start gap-2.5 text-sm sm:pt-7">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent"
            disabled={form.supervisor === ''}
            checked={form.review_required}
            onChange={(event) => onChange({ review_required: event.target.checked })}
          />
          <span>
            Results go through review
            <span className="block text-quiet">
              The supervisor approves each, or returns it with reasons, at most twice.
            </span>
          </span>
        </label>
      </div>
    </section>
  )
}
