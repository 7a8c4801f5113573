import { Unplug } from 'lucide-react'
import { useReach } from './use-reach.ts'

/** The one place that says so. What has been typed stays where it is. */
export function AwayBanner() {
  const isReached = useReach()
  return (
    <div role="status">
      {!isReached && (
        <p className="flex items-start gap-2.5 border-b bg-raised px-4 py-2 text-sm md:px-8">
          <Unplug className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
          <span>
            <span className="font-medium">The server does not answer.</span>{' '}
            <span className="text-quiet">This page goes on by itself as soon as it is back.</span>
          </span>
        </p>
      )}
    </div>
  )
}
