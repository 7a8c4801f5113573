import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Loading } from '../ui/state.tsx'
import { FolderPath } from './folder-path.tsx'
import type { Phase } from './live/live-notebook.ts'
import { useLiveNotebook } from './live/use-live-notebook.ts'
import { folderOf, titleOf } from './notebook-path.ts'
import { NotebookView } from './notebook-view.tsx'
import { RenameDialog } from './rename-dialog.tsx'

export function NotebookPage() {
  const { _splat: path = '' } = useParams({ strict: false })
  return (
    <Page
      title={titleOf(path) || 'Notebook'}
      note={<FolderPath folder={folderOf(path)} />}
      actions={<Rename key={path} path={path} />}
    >
      <Notebook key={path} path={path} />
    </Page>
  )
}

function Rename({ path }: { readonly path: string }) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => setOpen(true)}>
        <Pencil aria-hidden /> Rename
      </Button>
      {isOpen && (
        <RenameDialog
          path={path}
          onClose={() => setOpen(false)}
          onRenamed={(next) =>
            void navigate({
              to: '/notebooks/$',
              params: { _splat: next },
              replace: true,
              ignoreBlocker: true,
            })
          }
        />
      )}
    </>
  )
}

const OVER: Partial<Record<Phase, { readonly title: string; readonly hint: string }>> = {
  missing: {
    title: 'There is no notebook at this address.',
    hint: 'It may have been renamed or deleted.',
  },
  deleted: {
    title: 'This notebook was deleted, or has another name now.',
    hint: 'What was here a moment ago is no longer at this address.',
  },
  refused: {
    title: 'This cannot be opened as a notebook.',
    hint: 'Its server does not let it be read as one.',
  },
}

function Notebook({ path }: { readonly path: string }) {
  const { live, state, reopen } = useLiveNotebook(path)
  const over = OVER[state.phase]
  if (over)
    return (
      <Empty title={over.title}>
        <p className="break-words">
          {state.phase === 'refused' && state.reason !== '' ? state.reason : over.hint}
        </p>
        <p className="flex items-center justify-center gap-3 pt-3">
          <Button size="small" onClick={reopen}>
            Look again
          </Button>
          <Link to="/notebooks" className="underline">
            All notebooks
          </Link>
        </p>
      </Empty>
    )
  const { shared } = state
  if (!live || !shared) return <Waiting reason={state.reason} />
  // Another document is another notebook, even under the same path.
  return <NotebookView key={shared.doc.guid} path={path} live={live} state={state} shared={shared} />
}

function Waiting({ reason }: { readonly reason: string }): ReactNode {
  return (
    <>
      <Loading what="the notebook" />
      {reason !== '' && <p className="px-4 text-sm break-words text-quiet">{reason}</p>}
    </>
  )
}
