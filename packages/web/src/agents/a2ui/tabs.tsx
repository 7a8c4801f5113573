import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { joinClasses } from '../../ui/join-classes.ts'

export interface TabsProps {
  readonly tabs: readonly { readonly title: string; readonly content: ReactNode }[]
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** One of several at a time. The arrows go from tab to tab, as people expect. */
export function Tabs({ tabs }: TabsProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState(0)
  const current = Math.min(chosen, tabs.length - 1)

  function onKeyDown(event: KeyboardEvent): void {
    const next = toNext(event.key, current, tabs.length)
    if (next === undefined) return
    event.preventDefault()
    setChosen(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div ref={list} role="tablist" className="flex overflow-x-auto border-b" onKeyDown={onKeyDown}>
        {tabs.map(({ title }, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: tabs have no other name
            key={index}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === current}
            aria-controls={`${id}-panel`}
            tabIndex={index === current ? 0 : -1}
            className={joinClasses(
              'max-w-60 shrink-0 truncate border-b-2 px-3 py-1.5 text-sm -outline-offset-2',
              index === current
                ? 'border-accent font-medium'
                : 'border-transparent text-quiet hover:text-ink',
            )}
            title={title}
            onClick={() => setChosen(index)}
          >
            {title === '' ? index + 1 : title}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-tab-${current}`} className="min-w-0">
        {tabs[current]?.content}
      </div>
    </div>
  )
}

function toNext(key: string, current: number, count: number): number | undefined {
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const step = STEPS[key]
  return step === undefined ? undefined : (current + step + count) % count
}
