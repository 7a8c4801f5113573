import { useId } from 'react'
import { Field, TextInput } from '../ui/field.tsx'
import type { Offers } from './offers.ts'
import { type MemberForm, toNames } from './team-form.ts'

export interface ModelFieldsProps {
  readonly member: MemberForm
  readonly offers: Offers
  readonly faultOf: (name: string) => string | undefined
  readonly onChange: (changes: Partial<MemberForm>) => void
}

/** Of a member that is no agent of a runtime. */
export function ModelFields({ member, offers, faultOf, onChange }: ModelFieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-[2fr_2fr_1fr]">
      <ModelField member={member} offers={offers} faultOf={faultOf} onChange={onChange} />
      {offers.toolsets.length > 0 ? (
        <ToolsetChoices member={member} offers={offers} faultOf={faultOf} onChange={onChange} />
      ) : (
        <Field label="Toolsets" hint="Names, with commas between" error={faultOf('mcp_toolsets')}>
          {(ids) => (
            <TextInput
              {...ids}
              spellCheck={false}
              value={member.toolsets}
              onChange={(event) => onChange({ toolsets: event.target.value })}
              placeholder="notebook, composer"
            />
          )}
        </Field>
      )}
      <Field label="Steps at most" error={faultOf('max_steps')}>
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            min={1}
            max={100}
            value={member.max_steps}
            onChange={(event) => onChange({ max_steps: event.target.value })}
            placeholder="16"
          />
        )}
      </Field>
    </div>
  )
}

/** Stands for any model of a provider: the rest of the name is typed in. */
const ANY_MODEL = /:\*$/

function ModelField({ member, offers, faultOf, onChange }: ModelFieldsProps) {
  const listId = useId()
  const missing = offers.models.find(({ id, available }) => id === member.model && !available)
  return (
    <Field
      label="Model"
      hint={
        missing ? (
          <span className="text-warn">Needs {missing.requires.join(' and ')} at the server</span>
        ) : (
          "Empty: the service's default"
        )
      }
      error={faultOf('model')}
    >
      {(ids) => (
        <>
          <TextInput
            {...ids}
            list={listId}
            spellCheck={false}
            value={member.model}
            onChange={(event) => onChange({ model: event.target.value })}
            placeholder="provider:model"
          />
          <datalist id={listId}>
            {offers.models.map(({ id, name, available }) => (
              <option key={id} value={id.replace(ANY_MODEL, ':')}>
                {available ? name : `${name} (no key yet)`}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

function ToolsetChoices({ member, offers, faultOf, onChange }: ModelFieldsProps) {
  const chosen = toNames(member.toolsets)
  const fault = faultOf('mcp_toolsets')
  function turn(name: string, isOn: boolean): void {
    const names = isOn ? [...chosen, name] : chosen.filter((one) => one !== name)
    onChange({ toolsets: names.join(', ') })
  }
  return (
    <fieldset className="flex flex-col gap-1.5 text-sm">
      <legend className="pb-1 font-medium">Toolsets</legend>
      {offers.toolsets.map((name) => (
        <label key={name} className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent"
            checked={chosen.includes(name)}
            onChange={(event) => turn(name, event.target.checked)}
          />
          <span className="min-w-0 wrap-anywhere">{name}</span>
        </label>
      ))}
      {fault !== undefined && <p className="text-bad">{fault}</p>}
    </fieldset>
  )
}
