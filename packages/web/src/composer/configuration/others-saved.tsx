import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Difference } from './difference.tsx'

export interface OthersSavedProps {
  readonly theirs: string
  /** What the work here began with. */
  readonly base: string
  /** Drop what was written here. */
  readonly onTake: () => void
  /** Go on with what was written here, knowing theirs: saving it replaces theirs. */
  readonly onKeep: () => void
}

export function OthersSaved({ theirs, base, onTake, onKeep }: OthersSavedProps) {
  const [isShown, setShown] = useState(false)
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn/10 p-4">
      <p>
        <strong className="font-medium">Somebody else has saved the configuration.</strong> What you have
        written here began with an older one, and cannot be saved over theirs unawares.
      </p>
      {isShown && <Difference before={base} after={theirs} label="What they changed" />}
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => setShown(!isShown)} aria-expanded={isShown}>
          What they changed
        </Button>
        <Button size="small" onClick={onTake}>
          Take theirs, drop mine
        </Button>
        <Button size="small" onClick={onKeep}>
          Go on with mine
        </Button>
      </div>
    </div>
  )
}
