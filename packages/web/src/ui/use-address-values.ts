import { useNavigate, useSearch } from '@tanstack/react-router'
import { toText } from './to-text.ts'

type Values = Readonly<Record<string, string>>

/** Values that live in the page's address, so that a link leads to the same sight. One that is empty is not in the address. */
export function useAddressValues(): readonly [(name: string) => string, (change: Values) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const navigate = useNavigate()
  function read(name: string): string {
    return toText(search[name])
  }
  function write(change: Values): void {
    const changed = Object.entries(change).map(([name, value]) => [name, value === '' ? undefined : value])
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...Object.fromEntries(changed) }),
      replace: true,
      resetScroll: false,
    })
  }
  return [read, write]
}
