import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export interface RestartDialogProps {
  readonly isBusy: boolean
  /** With `andRun` all cells are run afterwards. */
  readonly onRestart: (andRun: boolean) => void
  readonly onClose: () => void
}

export function RestartDialog({ isBusy, onRestart, onClose }: RestartDialogProps) {
  const actions = (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>Keep it</Button>
      <Button kind="danger" isBusy={isBusy} onClick={() => onRestart(true)}>
        Restart and run all
      </Button>
      <Button kind="danger" isBusy={isBusy} onClick={() => onRestart(false)}>
        Restart
      </Button>
    </div>
  )
  return (
    <Dialog title="Restart the kernel?" actions={actions} onClose={onClose}>
      <p>Whatever runs is ended, and all variables are lost. The notebook stays as it is.</p>
    </Dialog>
  )
}
