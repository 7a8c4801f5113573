import { Field, TextArea, TextInput } from '../ui/field.tsx'

export interface PlaceFieldProps {
  /** It is started here; otherwise it is reached at an address. */
  readonly isProgram: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Where an MCP server is: the command that starts it, or its address. */
export function PlaceField({ isProgram, value, onChange }: PlaceFieldProps) {
  if (!isProgram)
    return (
      <Field label="Address" isRequired>
        {(ids) => (
          <TextInput
            {...ids}
            type="url"
            placeholder="https://"
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
    )
  return (
    <Field label="Command" isRequired hint="As you would type it, or one word on each line.">
      {(ids) => (
        <TextArea
          {...ids}
          rows={4}
          spellCheck={false}
          className="font-mono"
          placeholder={'uvx\nmcp-server-time'}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
