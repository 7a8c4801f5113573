import { useState } from 'react'
import { Field, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { folderOf, titleOf, toFilePath } from './notebook-path.ts'
import { useRenameNotebook } from './notebook-queries.ts'

export interface RenameDialogProps {
  readonly path: string
  readonly onClose: () => void
  /** Where it is now. */
  readonly onRenamed?: (path: string) => void
}

export function RenameDialog({ path, onClose, onRenamed }: RenameDialogProps) {
  const [name, setName] = useState(() => titleOf(path))
  const rename = useRenameNotebook()
  const next = toFilePath(folderOf(path), name)

  function send(): void {
    if (next === path) onClose()
    else
      rename.mutate(
        { path, next },
        {
          onSuccess() {
            onClose()
            onRenamed?.(next)
          },
        },
      )
  }

  return (
    <FormDialog
      title={`Rename ${titleOf(path)}`}
      action="Rename"
      isUnsent={name !== titleOf(path)}
      isBusy={rename.isPending}
      isComplete={name.trim() !== ''}
      error={rename.error}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Name" isRequired hint="Whoever has it open is told that it has another name now.">
        {(ids) => <TextInput {...ids} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
    </FormDialog>
  )
}
