import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Field, Select, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { PlaceField } from './place-field.tsx'
import { type ServerKind, withServer } from './server-tables.ts'
import { toWords } from './to-words.ts'
import { useConfigChange } from './use-config-change.ts'

const KINDS: Readonly<Record<ServerKind, string>> = {
  stdio: 'A program that is started here',
  'streamable-http': 'A server at an address (streamable HTTP)',
  sse: 'A server at an address (the older SSE)',
}

/** Writes one more server into the configuration, which starts it. */
export function AddServerDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [kind, setKind] = useState<ServerKind>('stdio')
  const [name, setName] = useState('')
  const [place, setPlace] = useState('')
  const isProgram = kind === 'stdio'
  const add = useConfigChange((document) =>
    withServer(document, kind, {
      name: name.trim(),
      ...(isProgram ? { command: toWords(place) } : { url: place.trim() }),
    }),
  )

  function send(): void {
    add.mutate(undefined, {
      onSuccess: () =>
        void navigate({ to: '/servers/$id', params: { id: name.trim() }, ignoreBlocker: true }),
    })
  }

  return (
    <FormDialog
      title="Add a server"
      description="It is written into the configuration file, and started."
      action="Add"
      isUnsent={name !== '' || place !== ''}
      isBusy={add.isPending}
      isComplete={name.trim() !== '' && place.trim() !== ''}
      error={add.error}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Kind">
        {(ids) => (
          <Select {...ids} value={kind} onChange={(event) => setKind(event.target.value as ServerKind)}>
            {Object.entries(KINDS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Name" isRequired hint="Its tools are called NAME:TOOL.">
        {(ids) => <TextInput {...ids} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <PlaceField isProgram={isProgram} value={place} onChange={setPlace} />
    </FormDialog>
  )
}
