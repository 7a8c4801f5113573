import { Outlet } from '@tanstack/react-router'
import { Menu, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { NextStep } from '../home/next-step.tsx'
import { SignIn } from '../session/sign-in.tsx'
import { useAccess } from '../session/use-access.ts'
import { ANNOUNCEMENTS_ID } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { joinClasses } from '../ui/join-classes.ts'
import { Loading } from '../ui/state.tsx'
import { AwayBanner } from './away-banner.tsx'
import { Brand, Controls, Navigation } from './side-bar.tsx'
import { useKeptFocus } from './use-kept-focus.ts'

/** What stands round every page: the way to the others, the theme, the way out, and whether anybody answers. */
export function Shell() {
  const access = useAccess()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const menu = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLElement>(null)
  useKeptFocus()
  if (access === 'refused') return <SignIn />
  if (access === 'asking') return <Loading what="Quire" />

  function leaveMenu(): void {
    if (!isMenuOpen) return
    setMenuOpen(false)
    content.current?.focus()
  }
  function closeOnEscape({ key }: KeyboardEvent): void {
    if (key !== 'Escape' || !isMenuOpen) return
    setMenuOpen(false)
    menu.current?.focus()
  }

  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <button
        type="button"
        onClick={() => content.current?.focus()}
        className="sr-only focus:not-sr-only focus:fixed focus:left-2 focus:top-2 focus:z-50 focus:rounded-md focus:border focus:bg-surface focus:px-3 focus:py-2"
      >
        Skip to the content
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys come from what is within it */}
      <div className="contents" onKeyDown={closeOnEscape}>
        <header className="flex items-center justify-between border-b bg-surface px-4 py-2 md:hidden">
          <Brand />
          <Button
            ref={menu}
            kind="quiet"
            size="icon"
            aria-label="Menu"
            aria-expanded={isMenuOpen}
            aria-controls="navigation"
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            {isMenuOpen ? <X aria-hidden /> : <Menu aria-hidden />}
          </Button>
        </header>
        <aside
          id="navigation"
          aria-label="Quire"
          className={joinClasses(
            'w-full shrink-0 flex-col gap-6 border-b bg-surface p-4 md:sticky md:top-0 md:flex md:h-dvh md:w-56 md:border-r md:border-b-0',
            isMenuOpen ? 'flex' : 'hidden',
          )}
        >
          <div className="hidden px-2 md:block">
            <Brand />
          </div>
          <Navigation onChosen={leaveMenu} />
          <NextStep place="side" />
          <Controls />
        </aside>
      </div>
      <main ref={content} id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="sticky top-0 z-20">
          <AwayBanner />
          <NextStep place="top" />
        </div>
        <Outlet />
      </main>
      <p id={ANNOUNCEMENTS_ID} role="status" className="sr-only" />
    </div>
  )
}
