import { useEffect, useState, useSyncExternalStore } from 'react'
import { createLogBook, type LogBook, type LogView } from './log-book.ts'
import type { LogFilter } from './log-filter.ts'

const HIDDEN_MS = 500
/** Nobody reads faster; what is saved is time for lines to come in. */
const BETWEEN_FRAMES_MS = 50

/** The lines of this page, and those of them that fit. */
export function useLogBook(filter: LogFilter): { readonly book: LogBook; readonly view: LogView } {
  const [book] = useState(() => createLogBook({ schedule }))
  const view = useSyncExternalStore(book.subscribe, book.view)
  const { server, level, text } = filter
  useEffect(() => book.filter({ server, level, text }), [book, server, level, text])
  return { book, view }
}

/** Frames stand still while the tab is hidden; lines do not. */
function schedule(work: () => void): void {
  if (document.hidden) setTimeout(work, HIDDEN_MS)
  else setTimeout(() => requestAnimationFrame(work), BETWEEN_FRAMES_MS)
}
