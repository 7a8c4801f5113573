import type { LinkLog } from '../link/link.ts'
import type { SupervisorEvent } from '../supervisor/supervisor.ts'
import { guessLevel, toLogLevel } from './line-level.ts'
import type { LogBook } from './log-book.ts'

export interface SupervisorLinesOptions {
  readonly book: Pick<LogBook, 'write'>
  /** Whether what the servers themselves say is written too. */
  readonly withServerLines: () => boolean
}

/** A listener that writes into the book what happens to servers, and what they say. */
export function createSupervisorLines({
  book,
  withServerLines,
}: SupervisorLinesOptions): (event: SupervisorEvent) => void {
  return function writeEvent(event) {
    switch (event.type) {
      case 'state':
        if (event.state === 'crashed')
          book.write('ERROR', event.server, `crashed: ${event.failure?.reason ?? 'no reason is known'}`)
        else book.write('INFO', event.server, event.state)
        break
      case 'catalog':
        book.write('DEBUG', event.server, `offers other ${event.kind} now`)
        break
      case 'stderr':
        if (withServerLines()) book.write(guessLevel(event.line), event.server, event.line)
        break
      case 'log':
        if (withServerLines()) book.write(toLogLevel(event.entry.level), event.server, toMessage(event.entry))
        break
    }
  }
}

function toMessage({ logger, data }: LinkLog): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return logger === undefined ? text : `${logger}: ${text}`
}
