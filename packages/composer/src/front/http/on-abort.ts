/** Calls back when the signal aborts, or at once if it has. */
export function onAbort(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback()
  else signal.addEventListener('abort', callback, { once: true })
}
