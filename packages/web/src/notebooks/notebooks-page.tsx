import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Asked } from '../ui/asked.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'
import { useAddressValues } from '../ui/use-address-values.ts'
import { FileList } from './file-list.tsx'
import { FolderPath } from './folder-path.tsx'
import { NewNotebookDialog } from './new-notebook-dialog.tsx'
import { useFolder } from './notebook-queries.ts'

export function NotebooksPage() {
  const [read] = useAddressValues()
  const folder = read('folder')
  const query = useFolder(folder)
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden /> New notebook
    </Button>
  )
  return (
    <Page
      title="Notebooks"
      note={
        folder === '' ? (
          'Code, text and results in one page, for people and agents together.'
        ) : (
          <FolderPath folder={folder} />
        )
      }
      actions={add}
    >
      <Asked query={query} what="the notebooks">
        {({ files, incomplete }) => {
          const shown = files.filter(({ type }) => type === 'directory' || type === 'notebook')
          return (
            <>
              {shown.length === 0 ? (
                <Empty
                  title={folder === '' ? 'There is no notebook yet.' : 'There is no notebook in this folder.'}
                >
                  Make one with “New notebook”, or ask an agent to.
                </Empty>
              ) : (
                <FileList files={shown} />
              )}
              {incomplete && (
                <p className="text-sm text-quiet">
                  There may be more than the {files.length} that were looked at.
                </p>
              )}
            </>
          )
        }}
      </Asked>
      {isAdding && <NewNotebookDialog folder={folder} onClose={() => setAdding(false)} />}
    </Page>
  )
}
