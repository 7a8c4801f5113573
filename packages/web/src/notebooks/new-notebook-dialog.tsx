import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Field, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toFilePath } from './notebook-path.ts'
import { useCreateNotebook } from './notebook-queries.ts'

export interface NewNotebookDialogProps {
  readonly folder: string
  readonly onClose: () => void
}

export function NewNotebookDialog({ folder, onClose }: NewNotebookDialogProps) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useCreateNotebook()

  function send(): void {
    const path = toFilePath(folder, name)
    create.mutate(path, {
      onSuccess: () => void navigate({ to: '/notebooks/$', params: { _splat: path }, ignoreBlocker: true }),
    })
  }

  return (
    <FormDialog
      title="New notebook"
      action="Create"
      isUnsent={name !== ''}
      isBusy={create.isPending}
      isComplete={name.trim() !== ''}
      error={create.error}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Name" isRequired hint={folder === '' ? undefined : `In the folder ${folder}.`}>
        {(ids) => (
          <TextInput
            {...ids}
            placeholder="analysis"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
