import { memo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FaultBoundary } from '../../ui/fault-boundary.tsx'
import { OutputView } from './output-view.tsx'
import { readOutput } from './read-output.ts'

const SHOWN_AT_FIRST = 20

export const Outputs = memo(function Outputs({ outputs }: { readonly outputs: readonly unknown[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? outputs : outputs.slice(0, SHOWN_AT_FIRST)
  return (
    <section aria-label="Outputs" className="flex min-w-0 flex-col gap-3">
      {shown.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs only grow at their end, and are otherwise replaced as a whole
        <FaultBoundary key={index} message="This output cannot be shown.">
          <ReadOutput value={value} />
        </FaultBoundary>
      ))}
      {shown.length < outputs.length && (
        <Button size="small" className="self-start" onClick={() => setWhole(true)}>
          Show {(outputs.length - shown.length).toLocaleString()} more outputs
        </Button>
      )}
    </section>
  )
})

function ReadOutput({ value }: { readonly value: unknown }) {
  const output = readOutput(value)
  return output && <OutputView output={output} />
}
