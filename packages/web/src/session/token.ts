/** The token lives in this tab alone: never in a cookie, never in an address that is sent. */
const KEY = 'quire.token'
const FRAGMENT = '#token='
/** Servers read no longer headers. */
const LONGEST_TOKEN = 8_192
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

type Listener = () => void
const listeners = new Set<Listener>()
let isRefused = false
/** The one before an address brought another: somebody else may have made that address. */
let previous: string | undefined

/** `quire up` prints an address with the token behind "#": it is taken from there, and the address is cleaned at once. */
export function takeTokenFromAddress(): void {
  take()
  // An address that differs in its fragment alone, in a tab that is open, loads no page.
  addEventListener('hashchange', take)
}

function take(): void {
  if (!location.hash.startsWith(FRAGMENT)) return
  const token = location.hash.slice(FRAGMENT.length)
  history.replaceState(history.state, '', location.pathname + location.search)
  if (!isToken(token)) return
  previous = readToken()
  writeToken(token)
}

/** Nothing else can be sent in a header. */
export function isToken(text: string): boolean {
  return text.length <= LONGEST_TOKEN && TOKEN.test(text)
}

export function readToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function writeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, token)
  isRefused = false
  for (const listener of listeners) listener()
}

/** The server does not take it, and so the page asks for another. An answer that was long on its way must not throw away a newer one. */
export function refuseToken(token: string | undefined): void {
  if (token === undefined || token !== readToken()) return
  const before = previous === token ? undefined : previous
  previous = undefined
  writeToken(before)
  isRefused = before === undefined
}

/** Whether the last one was refused, rather than never given or forgotten by hand. */
export function wasTokenRefused(): boolean {
  return isRefused
}

export function onTokenChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
