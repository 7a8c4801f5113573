import type { ConfigVerdict } from '@quire/composer/contract'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/state.tsx'
import { Consequences } from './consequences.tsx'
import { Difference } from './difference.tsx'

export interface SaveDialogProps {
  readonly before: string
  readonly after: string
  readonly verdict: ConfigVerdict | undefined
  readonly isBusy: boolean
  readonly error: unknown
  readonly onSave: () => void
  readonly onClose: () => void
}

/** What a change is, and what it will do, before it is made. */
export function SaveDialog({ before, after, verdict, isBusy, error, onSave, onClose }: SaveDialogProps) {
  const warnings = verdict?.warnings ?? []
  const actions = (
    <>
      <Button onClick={onClose}>Go on editing</Button>
      <Button kind="primary" isBusy={isBusy} onClick={onSave}>
        Save
      </Button>
    </>
  )
  return (
    <Dialog
      title="Save the configuration?"
      description="It is written to the file and applied at once."
      onClose={onClose}
      actions={actions}
    >
      <Difference before={before} after={after} label="What changes" />
      {verdict?.changes && (
        <Consequences
          changes={verdict.changes}
          restartRequired={verdict.restart_required ?? []}
          otherwise="No server is touched: all of them keep running."
        />
      )}
      {warnings.length > 0 && (
        <p className="text-sm text-warn">
          {warnings.length === 1 ? 'There is a warning' : `There are ${warnings.length} warnings`}; it can be
          saved all the same.
        </p>
      )}
      {error !== null && error !== undefined && <Failure error={error} />}
    </Dialog>
  )
}
