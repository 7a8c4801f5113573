import { Trash2 } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Field, Select, TextArea, TextInput } from '../ui/field.tsx'
import { ModelFields } from './model-fields.tsx'
import type { Offers } from './offers.ts'
import type { MemberForm } from './team-form.ts'

export interface MemberFieldsProps {
  readonly index: number
  readonly member: MemberForm
  readonly offers: Offers
  readonly faults: ReadonlyMap<string, string>
  readonly onChange: (changes: Partial<MemberForm>) => void
  /** Absent for the last one: a team has at least one. */
  readonly onRemove: (() => void) | undefined
}

export function MemberFields({ index, member, offers, faults, onChange, onRemove }: MemberFieldsProps) {
  /** It may be of one entry of a list. */
  function faultOf(name: string): string | undefined {
    const place = `members[${index}].${name}`
    return faults.get(place) ?? [...faults].find(([path]) => path.startsWith(`${place}[`))?.[1]
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-lg border bg-surface p-4">
      <legend className="sr-only">Member {index + 1}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" isRequired error={faultOf('name')}>
          {(ids) => (
            <TextInput
              {...ids}
              required
              maxLength={100}
              value={member.name}
              onChange={(event) => onChange({ name: event.target.value })}
            />
          )}
        </Field>
        {offers.agents.length > 0 && (
          <Field label="Works with" error={faultOf('agent_url')}>
            {(ids) => (
              <Select
                {...ids}
                value={member.kind === 'agent' ? member.agent : ''}
                onChange={({ target }) =>
                  onChange({ kind: target.value === '' ? 'model' : 'agent', agent: target.value })
                }
              >
                <option value="">A model and tools of its own</option>
                <optgroup label="An agent of this server">
                  {offers.agents.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </optgroup>
              </Select>
            )}
          </Field>
        )}
      </div>
      <Field
        label="Role and instructions"
        hint="What this member is for, and how it works"
        error={faultOf('system_prompt')}
      >
        {(ids) => (
          <TextArea
            {...ids}
            value={member.system_prompt}
            onChange={(event) => onChange({ system_prompt: event.target.value })}
            placeholder="You find sources and quote them."
          />
        )}
      </Field>
      {member.kind === 'model' && (
        <ModelFields member={member} offers={offers} faultOf={faultOf} onChange={onChange} />
      )}
      {onRemove && (
        <Button size="small" kind="quiet" className="self-end" onClick={onRemove}>
          <Trash2 aria-hidden /> Remove {member.name === '' ? `member ${index + 1}` : member.name}
        </Button>
      )}
    </fieldset>
  )
}
