import type { LogEntry } from './log-filter.ts'

const LINES_PER_PART = 5_000
const KEPT_MS = 60_000

export function toLineText({ kind, timestamp, level, server, message }: LogEntry): string {
  return kind === 'note' ? `${timestamp} ${message}` : `${timestamp} ${level} ${server} ${message}`
}

/** Saves the lines as a text file. */
export function downloadLines(lines: readonly LogEntry[]): void {
  const parts: string[] = []
  for (let start = 0; start < lines.length; start += LINES_PER_PART)
    parts.push(
      `${lines
        .slice(start, start + LINES_PER_PART)
        .map(toLineText)
        .join('\n')}\n`,
    )
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `quire-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.log`
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
