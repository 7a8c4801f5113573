export type Theme = 'light' | 'dark' | 'system'

const KEY = 'quire.theme'
const DARK = '(prefers-color-scheme: dark)'

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function writeTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  applyTheme()
}

export function isDark(): boolean {
  const theme = readTheme()
  return theme === 'dark' || (theme === 'system' && matchMedia(DARK).matches)
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  matchMedia(DARK).onchange = applyTheme
}

/** Chosen here, or changed by the system. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
