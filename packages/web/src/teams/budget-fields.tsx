import { Field, TextInput } from '../ui/field.tsx'
import type { BudgetForm } from './budget-form.ts'

export interface BudgetFieldsProps {
  readonly form: BudgetForm
  readonly faults: ReadonlyMap<string, string>
  readonly onChange: (changes: Partial<BudgetForm>) => void
}

export function BudgetFields({ form, faults, onChange }: BudgetFieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field
        label="Tokens at most"
        hint="Of prompts and answers together."
        error={faults.get('budget.max_tokens')}
      >
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            min={1}
            value={form.max_tokens}
            onChange={(event) => onChange({ max_tokens: event.target.value })}
            placeholder="No limit"
          />
        )}
      </Field>
      <Field
        label="US dollars at most"
        hint="Needs members whose models have a known price."
        error={faults.get('budget.max_cost_usd') ?? faults.get('budget')}
      >
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            min={0}
            step="any"
            value={form.max_cost_usd}
            onChange={(event) => onChange({ max_cost_usd: event.target.value })}
            placeholder="No limit"
          />
        )}
      </Field>
    </div>
  )
}
