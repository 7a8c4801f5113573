import { type ReactNode, useEffect } from 'react'

export interface PageProps {
  readonly title: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Every page has one heading, which is also what the tab says. */
export function Page({ title, note, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Quire`
  }, [title])
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-6 p-4 md:p-8">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0 wrap-anywhere">
          <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight">
            {title}
          </h1>
          {note && <div className="text-quiet">{note}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
