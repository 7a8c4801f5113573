import type { ConfigApplied } from '@quire/composer/contract'
import { CircleCheck } from 'lucide-react'
import { Consequences } from './consequences.tsx'

/** What came of a change. */
export function Applied({ applied, title }: { readonly applied: ConfigApplied; readonly title: string }) {
  return (
    <div role="status" className="flex items-start gap-3 rounded-lg border border-good/40 bg-good/10 p-4">
      <CircleCheck className="mt-0.5 size-5 shrink-0 text-good" aria-hidden />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">{title}</p>
        <Consequences
          changes={applied.changes}
          restartRequired={applied.restart_required}
          otherwise="No server was touched."
        />
      </div>
    </div>
  )
}
