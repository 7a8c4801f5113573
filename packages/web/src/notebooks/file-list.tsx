import { Link } from '@tanstack/react-router'
import { Folder, NotebookText, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Failure } from '../ui/state.tsx'
import { toShortTime } from '../ui/time.ts'
import { fileNameOf, titleOf } from './notebook-path.ts'
import { type FileEntry, useDeleteNotebook } from './notebook-queries.ts'
import { RenameDialog } from './rename-dialog.tsx'

const LINK = 'min-w-0 truncate font-medium after:absolute after:inset-0 hover:underline'

export function FileList({ files }: { readonly files: readonly FileEntry[] }) {
  const [chosen, setChosen] = useState<string>()
  const [renamed, setRenamed] = useState<string>()
  const remove = useDeleteNotebook()
  const sorted = files.toSorted((one, other) => one.type.localeCompare(other.type))
  return (
    <>
      <ul className="divide-y overflow-hidden rounded-lg border bg-surface">
        {sorted.map((file) => (
          <li key={file.path} className="relative flex items-center gap-3 px-4 py-2.5 hover:bg-raised">
            {file.type === 'directory' ? (
              <>
                <Folder className="size-4 shrink-0 text-quiet" aria-hidden />
                <Link to="/notebooks" search={{ folder: file.path }} className={LINK}>
                  {fileNameOf(file.path)}
                </Link>
              </>
            ) : (
              <>
                <NotebookText className="size-4 shrink-0 text-accent" aria-hidden />
                <Link to="/notebooks/$" params={{ _splat: file.path }} className={LINK}>
                  {titleOf(file.path)}
                </Link>
                <span className="ml-auto shrink-0 text-sm whitespace-nowrap text-quiet">
                  {toShortTime(file.last_modified ?? '')}
                </span>
                <Button
                  kind="quiet"
                  size="icon"
                  className="relative -my-1 -mr-2 shrink-0"
                  aria-label={`Rename ${titleOf(file.path)}`}
                  title="Rename"
                  onClick={() => setRenamed(file.path)}
                >
                  <Pencil aria-hidden />
                </Button>
                <Button
                  kind="quiet"
                  size="icon"
                  className="relative -my-1 -mr-2 shrink-0"
                  title="Delete"
                  aria-label={`Delete ${titleOf(file.path)}`}
                  onClick={() => setChosen(file.path)}
                >
                  <Trash2 aria-hidden />
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {remove.isError && <Failure error={remove.error} />}
      {chosen !== undefined && (
        <Confirm
          title={`Delete ${titleOf(chosen)}?`}
          description="The notebook is gone for good, for everybody who has it open as well. A kernel that was started for it here ends."
          action="Delete it"
          isBusy={remove.isPending}
          onConfirm={() =>
            remove.mutate(chosen, {
              onSuccess: () => announce(`${titleOf(chosen)} was deleted.`),
              onSettled: () => setChosen(undefined),
            })
          }
          onClose={() => setChosen(undefined)}
        />
      )}
      {renamed !== undefined && <RenameDialog path={renamed} onClose={() => setRenamed(undefined)} />}
    </>
  )
}
