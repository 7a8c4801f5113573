import { Button } from '../../ui/button.tsx'

export interface CallQuestionProps {
  readonly tool: string
  readonly onDecide: (isAllowed: boolean) => void
}

export function CallQuestion({ tool, onDecide }: CallQuestionProps) {
  // The second half of a double click would decide about the next tool, of which nobody has read yet.
  const once = (isAllowed: boolean) => (event: { readonly detail: number }) => {
    if (event.detail < 2) onDecide(isAllowed)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form, and this is none
    <div
      role="group"
      aria-label={`This app wants to call ${tool}`}
      className="flex min-w-0 flex-wrap items-center gap-2 rounded-md border bg-raised p-2 text-sm"
    >
      <p className="min-w-0 grow">
        This app wants to call <code className="break-all">{tool}</code>
      </p>
      <Button size="small" onClick={once(true)}>
        Allow
      </Button>
      <Button size="small" onClick={once(false)}>
        Refuse
      </Button>
    </div>
  )
}
