import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { LEVELS, type LogFilter } from './log-filter.ts'

const SETTLED_MS = 300

/** The filter stands in the address, some moments after it was typed. */
export function useLogFilter(): readonly [LogFilter, (changes: Partial<LogFilter>) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const [filter, setFilter] = useState(() => fromSearch(search))
  useEffect(() => {
    const timer = setTimeout(() => {
      void navigate({ to: '.', search: toSearch(filter), replace: true, resetScroll: false })
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [filter, navigate])
  return [filter, (changes) => setFilter((before) => ({ ...before, ...changes }))]
}

function fromSearch({ server, level, text }: Readonly<Record<string, unknown>>): LogFilter {
  return {
    server: toText(server),
    level: LEVELS.find((known) => known === toText(level).toUpperCase()) ?? '',
    text: toText(text),
  }
}

function toSearch(filter: LogFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
}

/** The address may say a number. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
