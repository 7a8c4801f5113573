import type { ConfigApplied, ConfigVerdict } from '@quire/composer/contract'
import { RotateCw, Undo2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/state.tsx'
import { useLeaveQuestion } from '../../ui/use-leave-question.ts'
import { Applied } from './applied.tsx'
import { type ConfigText, useReloadConfig, useSaveConfig, useVerdict } from './config-queries.ts'
import { Faults } from './faults.tsx'
import { OthersSaved } from './others-saved.tsx'
import { SaveDialog } from './save-dialog.tsx'
import { TextEditor, type TextEditorHandle } from './text-editor.tsx'

/** `saved` is the file as it is now; the editor works from the one that it began with, and says when they differ. */
export function ConfigEditor({ saved }: { readonly saved: ConfigText }) {
  const [base, setBase] = useState(saved)
  const [text, setText] = useState(saved.text)
  const [isReviewing, setReviewing] = useState(false)
  const [done, setDone] = useState<{ title: string; applied: ConfigApplied }>()
  const editor = useRef<TextEditorHandle>(null)
  const verdict = useVerdict(text, saved.revision)
  const save = useSaveConfig()
  const reload = useReloadConfig()
  const isChanged = text !== base.text
  // Nothing is lost by following the file while nothing was written here.
  if (!isChanged && saved.revision !== base.revision) begin(saved)
  useLeaveQuestion(isChanged)

  function begin(from: ConfigText): void {
    setBase(from)
    setText(from.text)
  }

  function write(): void {
    save.mutate(
      { text, revision: base.revision },
      {
        onSuccess({ applied, saved: written }) {
          begin(written)
          setReviewing(false)
          setDone({ title: 'Saved and applied', applied })
        },
      },
    )
  }

  function readAgain(): void {
    setDone(undefined)
    reload.mutate(undefined, {
      onSuccess: (applied) => setDone({ title: 'The file was read again', applied }),
    })
  }

  return (
    <div className="flex flex-col gap-4">
      {isChanged && saved.revision !== base.revision && (
        <OthersSaved
          theirs={saved.text}
          base={base.text}
          onTake={() => begin(saved)}
          onKeep={() => setBase(saved)}
        />
      )}
      {done && <Applied {...done} />}
      {reload.isError && <Failure error={reload.error} />}
      <TextEditor
        ref={editor}
        label="Configuration as TOML"
        describedBy="verdict"
        value={text}
        onChange={setText}
        marks={toMarks(verdict.data)}
      />
      <div id="verdict" role="status" className="min-h-6">
        {verdict.isError && <Failure error={verdict.error} />}
        {verdict.data && <Faults verdict={verdict.data} onShow={(line) => editor.current?.show(line)} />}
      </div>
      <footer className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          disabled={!isChanged || !verdict.isUpToDate || !mayBeSaved(verdict.data)}
          onClick={() => {
            save.reset()
            setDone(undefined)
            setReviewing(true)
          }}
        >
          Review and save
        </Button>
        <Button disabled={!isChanged} onClick={() => setText(base.text)}>
          <Undo2 aria-hidden /> Undo all
        </Button>
        <Button isBusy={reload.isPending} disabled={isChanged} onClick={readAgain}>
          <RotateCw aria-hidden /> Read the file again
        </Button>
      </footer>
      {isReviewing && (
        <SaveDialog
          before={base.text}
          after={text}
          verdict={verdict.data}
          isBusy={save.isPending}
          error={save.error}
          onSave={write}
          onClose={() => setReviewing(false)}
        />
      )}
    </div>
  )
}

function mayBeSaved(verdict: ConfigVerdict | undefined): boolean {
  return verdict?.valid === true && (verdict.refused ?? []).length === 0
}

function toMarks(verdict: ConfigVerdict | undefined): ReadonlyMap<number, 'bad' | 'warn'> {
  const marks = new Map<number, 'bad' | 'warn'>()
  for (const fault of verdict?.warnings ?? []) marks.set(fault.line ?? 0, 'warn')
  for (const fault of [...(verdict?.errors ?? []), ...(verdict?.refused ?? [])])
    marks.set(fault.line ?? 0, 'bad')
  return marks
}
