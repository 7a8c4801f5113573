import { useId } from 'react'
import { Field, TextInput } from '../ui/field.tsx'
import { type Models, needsOf, toStart } from './model-needs.ts'
import { SetUpLink } from './model-notice.tsx'

export interface ModelFieldProps {
  readonly models: Models
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (model: string) => void
}

/** Any text, with those that the service knows to choose from, and what the one chosen still needs. */
export function ModelField({ models, value, error, onChange }: ModelFieldProps) {
  const listId = useId()
  const missing = needsOf(value, models)?.join(', ')
  return (
    <Field
      label="Model"
      error={error}
      hint={
        missing === undefined ? (
          'As provider:model. Empty: a new agent gets the one that the service prefers, others keep theirs.'
        ) : (
          <span className="text-warn">
            It cannot answer yet: set {missing} in the environment of the server, and start it again.{' '}
            <SetUpLink />
          </span>
        )
      }
    >
      {(ids) => (
        <>
          <TextInput
            {...ids}
            list={listId}
            spellCheck={false}
            placeholder="builtin:guide"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={listId}>
            {models.map(({ id, name, available }) => (
              <option key={id} value={toStart(id)}>
                {available ? name : `${name} (not set up here)`}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
