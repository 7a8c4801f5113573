import type { Translator, TranslatorRequest } from '@quire/composer/contract/translator'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../services/request.ts'
import { Field, Select, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { COMPOSER_KEY } from './composer-queries.ts'
import { PlaceField } from './place-field.tsx'
import { toWords } from './to-words.ts'
import { TRANSLATOR_KINDS, type TranslatorKind } from './translator-kinds.ts'

export function AddTranslatorDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [type, setType] = useState<TranslatorKind>('stdio-to-http')
  const [name, setName] = useState('')
  const [place, setPlace] = useState('')
  const add = useMutation({
    mutationFn: (body: TranslatorRequest) =>
      request<Translator>('composer', '/api/v1/translators', { method: 'POST', body }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: [COMPOSER_KEY] }),
  })

  return (
    <FormDialog
      title="Add a translator"
      action="Add"
      isUnsent={name !== '' || place !== ''}
      isBusy={add.isPending}
      isComplete={name.trim() !== '' && place.trim() !== ''}
      error={add.error}
      onSend={() => add.mutate(toRequest(type, name.trim(), place))}
      onClose={onClose}
    >
      <Field label="Kind" hint={TRANSLATOR_KINDS[type].hint}>
        {(ids) => (
          <Select {...ids} value={type} onChange={({ target }) => setType(target.value as TranslatorKind)}>
            {Object.entries(TRANSLATOR_KINDS).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Name" isRequired>
        {(ids) => <TextInput {...ids} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
      <PlaceField isProgram={type === 'stdio-to-http'} value={place} onChange={setPlace} />
    </FormDialog>
  )
}

function toRequest(type: TranslatorKind, name: string, place: string): TranslatorRequest {
  if (type === 'stdio-to-http') return { type, name, command: toWords(place) }
  return { type, name, url: place.trim() }
}
