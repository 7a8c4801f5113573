import { CircleAlert, Inbox, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

export interface EmptyProps {
  readonly title: string
  /** What to do next. */
  readonly children?: ReactNode
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed p-8 text-center">
      <Inbox className="size-6 text-quiet" aria-hidden />
      <p className="font-medium">{title}</p>
      <div className="max-w-prose text-sm text-quiet">{children}</div>
    </div>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p role="status" className="flex items-center gap-2 p-4 text-quiet">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      Loading {what} …
    </p>
  )
}

export interface FailureProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

export function Failure({ error, onRetry }: FailureProps) {
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-bad/40 bg-bad/10 p-4">
      <CircleAlert className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
      <div className="flex min-w-0 flex-col items-start gap-2">
        <p className="break-words whitespace-pre-wrap">
          {withoutApi(error instanceof Error ? error.message : String(error))}
        </p>
        {onRetry && (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

/** Services also say which route helps. People have buttons for that. */
function withoutApi(text: string): string {
  const rest = text.replace(
    /(?:^|(?<=[.:!]))\s*(?:GET|POST|PUT|PATCH|DELETE) \S*\/[^\n]*?(?:\.(?=\s|$)|$)/gm,
    '',
  )
  return rest.trim() === '' ? text : rest.trim()
}
