import { Link } from '@tanstack/react-router'
import { LogOut, Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { isServed, SERVED } from '../services/served.ts'
import { readToken, writeToken } from '../session/token.ts'
import { Button } from '../ui/button.tsx'
import { NAVIGATION } from './navigation.ts'
import { isDark, onThemeChange, writeTheme } from './theme.ts'

export function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 text-lg font-semibold">
      <img src="icon.svg" alt="" className="size-6" />
      Quire
    </Link>
  )
}

export function Navigation({ onChosen }: { readonly onChosen: () => void }) {
  return (
    <nav aria-label="Pages" className="flex flex-1 flex-col gap-5 overflow-auto">
      {NAVIGATION.map(({ title, entries }) => {
        const shown = entries.filter(({ service }) => service === undefined || isServed(service))
        if (shown.length === 0) return undefined
        return (
          <div key={title} className="flex flex-col gap-0.5">
            {title !== '' && <h2 className="px-2 pb-1 text-xs font-medium text-quiet">{title}</h2>}
            {shown.map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                onClick={onChosen}
                activeOptions={{ exact: to === '/' }}
                className="flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm text-quiet outline-offset-[-2px] hover:bg-raised hover:text-ink data-[status=active]:bg-raised data-[status=active]:font-medium data-[status=active]:text-ink"
              >
                <Icon className="size-4" aria-hidden />
                {label}
              </Link>
            ))}
          </div>
        )
      })}
    </nav>
  )
}

export function Controls() {
  const isNight = useSyncExternalStore(onThemeChange, isDark)
  return (
    <div className="flex items-center justify-between border-t pt-3 text-sm text-quiet">
      <span className="px-2">Quire {SERVED.version}</span>
      <span className="flex">
        <Button
          kind="quiet"
          size="icon"
          aria-label={isNight ? 'Light theme' : 'Dark theme'}
          onClick={() => writeTheme(isNight ? 'light' : 'dark')}
        >
          {isNight ? <Sun aria-hidden /> : <Moon aria-hidden />}
        </Button>
        {readToken() !== undefined && (
          <Button
            kind="quiet"
            size="icon"
            aria-label="Forget the token"
            title="Forget the token"
            onClick={() => writeToken(undefined)}
          >
            <LogOut aria-hidden />
          </Button>
        )}
      </span>
    </div>
  )
}
